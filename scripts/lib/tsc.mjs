import path from 'node:path'
import { root, run } from './run.mjs'

/**
 * Runs the TypeScript compiler. Its threads each check the types they share, so one thread takes half of the CPU, and a
 * larger heap saves collecting it.
 */
export function tsc(node, args, { cwd = root, env = process.env } = {}) {
  const program = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  return run(node, [program, '--singleThreaded', ...args], { cwd, env: { ...env, GOGC: '400' } })
}
