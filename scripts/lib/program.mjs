import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { currentProgram, programFolder } from '../../packages/cli/bin/current-program.mjs'
import { root, run, say } from './run.mjs'

const folder = programFolder(root)
/** Number of bundles to keep. A running server lazily loads modules from the bundle it started from. */
const kept = 10

export function programIsCurrent() {
  return currentProgram(root) !== undefined
}

/**
 * Bundles the program `troupe` runs, because 850 small files load slowly. See packages/cli/bin/start.mjs. Sources that
 * cannot be bundled run directly.
 */
export async function buildProgram(node) {
  say('bundling the program')
  const begun = Date.now()
  const next = path.join(folder, String(begun))
  const { code, output } = await run(node, [path.join(root, 'scripts', 'lib', 'bundle-program.mjs'), next])
  if (code !== 0) {
    rmSync(next, { recursive: true, force: true })
    say(`the program could not be bundled, so it starts slower, from its sources:\n${output}`)
    return
  }
  const { inputs, ...made } = JSON.parse(readFileSync(path.join(next, 'made.json'), 'utf8'))
  const madeOf = Object.fromEntries(inputs.map((file) => [path.join(root, file), changedBefore(begun, file)]))
  const stamp = path.join(folder, 'current.json')
  writeFileSync(`${stamp}.${process.pid}`, JSON.stringify({ root, folder: next, ...made, madeOf }))
  renameSync(`${stamp}.${process.pid}`, stamp)
  const all = readdirSync(folder).filter((name) => /^\d+$/.test(name))
  for (const old of all.toSorted().slice(0, -kept)) rmSync(path.join(folder, old), { recursive: true, force: true })
}

/** Returns the modification time of a file. A file changed during bundling counts as changed afterwards. */
function changedBefore(begun, file) {
  const { mtimeMs } = statSync(path.join(root, file))
  return mtimeMs < begun ? mtimeMs : 0
}
