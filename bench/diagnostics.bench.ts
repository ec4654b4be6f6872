import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Workspace } from '@troupe/core'
import { openLsp } from '../packages/server/src/lsp/open-lsp.ts'
import { median } from './measure.ts'

const count = 2000
const edits = 15
/** Programs of the folder itself need a sandbox. */
const program = fileURLToPath(
  new URL(`../node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`, import.meta.url),
)
const repository = fileURLToPath(new URL('..', import.meta.url))

/** Each module imports three others, so the project is one graph. */
function makeProject(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'))
  mkdirSync(path.join(folder, 'src'))
  writeFileSync(path.join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true, "types": [] } }')
  for (let i = 0; i < count; i++) writeFileSync(moduleFile(folder, i), moduleText(i))
  return folder
}

function moduleFile(folder: string, i: number): string {
  return path.join(folder, 'src', `m${i}.ts`)
}

function moduleText(i: number, extra = ''): string {
  const others = [i * 2 + 1, i * 2 + 2, i + 7].filter((other) => other < count)
  const imports = others.map((other) => `import { type T${other}, f${other} } from './m${other}'\n`).join('')
  const fields = others.map((other) => `  v${other}: T${other} | null\n`).join('')
  const calls = others.map((other) => `  if (v.v${other} !== null) f${other}(v.v${other})\n`).join('')
  return `${imports}export interface T${i} {\n  name: string\n${fields}}\nexport function f${i}(v: T${i}): string {\n${calls}  return v.name\n}\n${extra}`
}

export const name = 'problems after an edit, 2,000 TypeScript files, warm'
export const bar = 'median under 1 s'

export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const folder = makeProject()
  const lsp = openLsp({
    env: process.env,
    logger: () => undefined,
    settings: () => ({ typescript: { command: [program, '--lsp', '--stdio'] } }),
  })
  try {
    const workspace = { id: 'w', path: folder, trusted: true } as Workspace
    const code = lsp.of(workspace)
    const { signal } = new AbortController()
    const begun = performance.now()
    await lsp.problems(workspace, moduleFile(folder, 0))
    const first = performance.now() - begun
    const taken: number[] = []
    let missed = 0
    for (let i = 0; i < edits; i++) {
      const file = moduleFile(folder, i * 11)
      await lsp.problems(workspace, file)
      writeFileSync(file, moduleText(i * 11, `export const wrong${i}: number = 'text'\n`))
      const since = performance.now()
      const found = await code?.problemsAfter([file], signal)
      taken.push(performance.now() - since)
      if (found?.includes('2322') !== true) missed++
    }
    const middle = median(taken)
    return {
      value: `${middle.toFixed(0)} ms`,
      ok: middle < 1000 && missed === 0,
      detail: `slowest ${Math.max(...taken).toFixed(0)} ms, ${missed} of ${edits} missed, first look ${first.toFixed(0)} ms`,
    }
  } finally {
    await lsp.close()
  }
}
