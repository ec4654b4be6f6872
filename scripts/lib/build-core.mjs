import { cpSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Failure, root, run } from './run.mjs'

/** Builds `packages/core/dist`. The one that was there stays until the new one is complete. */
export async function buildCore(node, env = process.env) {
  const core = path.join(root, 'packages', 'core')
  const dist = path.join(core, 'dist')
  const next = `${dist}.${process.pid}`
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = path.join(core, 'tsconfig.build.json')
  try {
    const { code, output } = await run(node, [tsc, '-p', project, '--outDir', next], { env })
    if (code !== 0) throw new Failure(`the library could not be built:\n${output}`)
    // What is read and not run comes along as it is.
    cpSync(path.join(core, 'src', 'agents'), path.join(next, 'agents'), { recursive: true })
    rmSync(dist, { recursive: true, force: true })
    renameSync(next, dist)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}
