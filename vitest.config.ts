import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Our packages resolve to their sources, as they do when the program runs. */
const conditions = ['troupe-source']

/**
 * Node runs the sources itself, as in the program. Modules that Vite transforms reach each import through an object,
 * which takes a sixth more of the processor.
 */
const native = { viteModuleRunner: false }

const startsManyProcesses = new RegExp(
  [
    '/core/src/(process|sandbox|shell|mcp)/',
    '/core/src/tools/(bash|exec-command|task-output|js-repl|grep)\\.',
    '/command-policy/src/(programs/|git-repository|dangerous-commands|command-fuzz)',
    '/server/src/(git|worktrees|lsp|terminals)/',
    '/server/crash/',
    '/cli/src/',
  ].join('|'),
)

/**
 * Node forks to start a process, which takes 4 ms in a new worker and 40 ms in one with a gigabyte. So the files that
 * start many processes go first.
 */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project)
    return [...projects.values()].flatMap((specs) => {
      const first = specs.filter(({ moduleId }) => startsManyProcesses.test(moduleId))
      return [...first, ...specs.filter((spec) => !first.includes(spec))]
    })
  }
}

const setupFile = path.join(import.meta.dirname, 'vitest.setup.ts')

/** The page loads its texts in pieces. Which of them a worker has must not depend on the files that ran before. */
const pageSetupFiles = [setupFile, path.join(import.meta.dirname, 'packages/web/src/testing/all-texts.ts')]

export default defineConfig({
  resolve: { conditions: [...conditions, 'node', 'module'] },
  ssr: {
    // Vitest gives them to Node, too, where `import` would be wrong for a module that is required.
    resolve: { conditions: [...conditions, 'node', 'module', 'default'], externalConditions: ['node'] },
  },
  test: {
    isolate: false,
    sequence: { sequencer: ProcessesFirst },
    setupFiles: [setupFile],
    // Much of the time is spent waiting for processes, pages and disks: three keep two cores at work.
    maxWorkers: 3,
    // Tests start real processes, also on machines that are busy.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A shared machine may stall for seconds, so in CI a test gets one more try. `npm test` prints every retried test.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // As the launcher does: programs that tests start find V8's compiled code, which halves their start.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, '.cache', 'compile') },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          globalSetup: ['packages/server/src/testing/postgres-setup.ts'],
          experimental: native,
          include: ['packages/*/{src,crash}/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['packages/web/**'],
        },
      },
      {
        extends: true,
        // Sources of the page use features of Vite.
        test: { name: 'page-logic', setupFiles: pageSetupFiles, include: ['packages/web/src/**/*.test.ts'] },
      },
      {
        extends: true,
        // Components in a DOM. A worker keeps its modules only between files of one project and environment.
        test: {
          name: 'page',
          environment: 'happy-dom',
          setupFiles: pageSetupFiles,
          include: ['packages/web/src/**/*.test.tsx'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          experimental: native,
          // Each piece of a streamed answer is drawn. Tests of streaming choose their own speed.
          env: { TROUPE_DEMO_SPEED: 'instant' },
          globalSetup: ['packages/web/e2e/testing/global-setup.ts'],
          // A page on a busy machine takes its time.
          testTimeout: 90_000,
          hookTimeout: 90_000,
          expect: { poll: { timeout: 15_000, interval: 100 } },
          include: ['packages/web/e2e/**/*.test.ts'],
        },
      },
    ],
  },
})
