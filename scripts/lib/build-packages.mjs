import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Failure, root } from './run.mjs'
import { tsc } from './tsc.mjs'

/** Published packages in dependency order. */
export const published = ['protocol', 'command-policy', 'core', 'agent', 'client']

/**
 * Builds `dist` of a published package and of those it imports. The old `dist` stays until the new one is complete.
 * `flags`: for the TypeScript compiler.
 */
export async function buildPackages(node, names = published, { env = process.env, flags = [] } = {}) {
  for (const name of published) if (names.some((wanted) => imports(wanted, name))) await build(node, name, env, flags)
}

function imports(wanted, name) {
  if (wanted === name) return true
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(root, 'packages', wanted, 'package.json'), 'utf8'))
  return published.some((each) => `@troupe/${each}` in dependencies && imports(each, name))
}

async function build(node, name, env, flags) {
  const folder = path.join(root, 'packages', name)
  const dist = path.join(folder, 'dist')
  const next = `${dist}.${process.pid}`
  try {
    const args = ['-p', path.join(folder, 'tsconfig.build.json'), '--outDir', next, ...flags]
    const { code, output } = await tsc(node, args, { env })
    if (code !== 0) throw new Failure(`@troupe/${name} could not be built:\n${output}`)
    // Agents are data files, not code.
    const agents = path.join(folder, 'src', 'agents')
    if (existsSync(agents))
      cpSync(agents, path.join(next, 'agents'), { recursive: true, filter: (file) => !file.endsWith('.ts') })
    rmSync(dist, { recursive: true, force: true })
    renameSync(next, dist)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}
