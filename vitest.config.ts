import { defineConfig } from 'vitest/config'

/** Our packages resolve to their sources, as they do when the program runs. */
const conditions = ['troupe-source']

export default defineConfig({
  resolve: { conditions: [...conditions, 'node', 'module', 'import'] },
  ssr: {
    resolve: { conditions: [...conditions, 'node', 'module', 'import', 'default'], externalConditions: ['node'] },
  },
  test: {
    isolate: false,
    // Most of the time is spent waiting for processes, pages and disks: two cores have room for three.
    maxWorkers: 3,
    // Tests start real processes, also on machines that are busy.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: { name: 'node', include: ['packages/*/{src,crash}/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['packages/web/e2e/**/*.test.ts'],
        },
      },
    ],
  },
})
