import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

const server = process.env['TROUPE_DEV_SERVER'] ?? 'http://127.0.0.1:4880'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['troupe-source', ...defaultClientConditions] },
  build: {
    target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The page's CSP has no place for inlined bytes.
    assetsInlineLimit: 0,
    rolldownOptions: {
      treeshake: {
        // Schemas of the protocol are values at module level: unused, they must not bring zod into the page.
        manualPureFunctions: ['z'],
        moduleSideEffects: (id) => !id.includes('/core/src/protocol/') && !id.includes('/node_modules/zod/'),
      },
    },
  },
  server: {
    port: 4881,
    proxy: Object.fromEntries(
      ['/ai', '/health'].map((path) => [
        path,
        // The server takes only its own address as Host and Origin.
        { target: server, changeOrigin: true, headers: { origin: new URL(server).origin } },
      ]),
    ),
  },
})
