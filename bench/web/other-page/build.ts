import { rm } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

export async function buildOtherPage(): Promise<string> {
  const outDir = path.resolve(import.meta.dirname, '../../../.cache/other-page')
  await rm(outDir, { recursive: true, force: true })
  await build({
    root: import.meta.dirname,
    mode: 'production',
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { outDir, assetsInlineLimit: 0, modulePreload: { polyfill: false }, target: 'es2023' },
  })
  return outDir
}
