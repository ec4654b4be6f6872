import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependenciesAreCurrent, installDependencies } from './lib/dependencies.mjs'
import { withLock } from './lib/lock.mjs'
import { buildProgram, programIsCurrent } from './lib/program.mjs'
import { main, root, say } from './lib/run.mjs'
import { findRuntime, installRuntime, linkRuntime } from './lib/runtime.mjs'
import { buildWeb, webIsCurrent } from './lib/web-build.mjs'

/**
 * Prepares the checkout so that everything runs: dependencies, Node 24, the bundled program, the built page. Does only
 * missing or outdated steps, runs on Node 20 or later, and has no dependencies.
 */
export async function setup({ web = true, program = true } = {}) {
  const isReady = () =>
    findRuntime() !== undefined &&
    dependenciesAreCurrent() &&
    (!program || programIsCurrent()) &&
    (!web || webIsCurrent())
  if (!isReady()) {
    await withLock(path.join(root, '.cache', 'setup.lock'), async () => {
      if (isReady()) return
      // The steps of a pair are independent and wait for different things: network, disk and processor.
      await together(
        findRuntime() === undefined && installRuntime(),
        !dependenciesAreCurrent() && installDependencies(),
      )
      const node = findRuntime()
      await together(program && !programIsCurrent() && buildProgram(node), web && !webIsCurrent() && buildWeb(node))
      say('set-up is done')
    })
  }
  const node = findRuntime()
  linkRuntime(node)
  return {
    node,
    /** Environment for the project's programs: its Node first on PATH, no warnings about features we rely on. */
    env: {
      ...process.env,
      PATH: [path.dirname(node), process.env.PATH].join(path.delimiter),
      NODE_OPTIONS: [process.env.NODE_OPTIONS, '--disable-warning=ExperimentalWarning'].filter(Boolean).join(' '),
    },
  }
}

/** Like `Promise.all`, but waits for every step before it fails. */
async function together(...steps) {
  const failed = (await Promise.allSettled(steps)).find(({ status }) => status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(() => setup())
