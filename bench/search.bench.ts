import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findTool, getBuiltinTools, type Tool } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { rgPath } from '@vscode/ripgrep'
import { median, times } from './measure.ts'

const fileCount = 20_000
const rounds = 15
const word = 'common'

/**
 * Creates 20,000 files of 2.6 KB in 400 folders, 12,000 of them .ts, with the word once in each. Removed when the
 * process exits.
 */
function makeTree(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')))
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  const lines = Array.from(
    { length: 40 },
    (_, line) => `export const value${line} = compute('text ${line}') // a line of it`,
  )
  lines.splice(20, 0, `import ${word} from './${word}'`)
  const content = `${lines.join('\n')}\n`
  for (let i = 0; i < fileCount; i++) {
    const folder = path.join(root, `package-${i % 20}`, `module-${i % 400}`)
    if (i < 400) mkdirSync(folder, { recursive: true })
    const file = path.join(folder, `file-${i}.${i % 5 < 3 ? 'ts' : 'md'}`)
    writeFileSync(file, content)
    utimesSync(file, 1_700_000_000 + ((i * 7919) % fileCount), 1_700_000_000 + ((i * 7919) % fileCount))
  }
  return root
}

let tree: string | undefined
const root = (): string => (tree ??= makeTree())

/** Streams ripgrep's output and kills it after `maxLines` lines. */
function ripgrep(args: readonly string[], maxLines = Infinity): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, args, { cwd: root(), stdio: ['ignore', 'pipe', 'ignore'] })
    let printed = ''
    let lines = 0
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (maxLines === Infinity) return
      lines += text.split('\n').length - 1
      if (lines >= maxLines) child.kill('SIGKILL')
    })
    child.once('error', reject)
    child.once('close', () => resolve(printed))
  })
}

const tools = getBuiltinTools()

async function call(name: string, given: object): Promise<string> {
  const tool = findTool(name, tools) as Tool
  const input: unknown = tool.input.parse(given)
  const returned: unknown = await tool.execute(input, testToolContext({ workspace: { id: 'w', path: root() } }))
  return JSON.stringify(returned)
}

/** Alternates between ours and the baseline, so that other load affects both. */
async function compare(
  ours: () => Promise<void>,
  hand: () => Promise<void>,
  most: number,
): Promise<{ value: string; ok: boolean; detail: string }> {
  const spent: Record<'ours' | 'hand', number[]> = { ours: [], hand: [] }
  for (let round = -2; round < rounds; round++) {
    for (const [which, work] of [
      ['hand', hand],
      ['ours', ours],
    ] as const) {
      const begun = performance.now()
      await work()
      if (round >= 0) spent[which].push(performance.now() - begun)
    }
  }
  const ratio = median(spent.ours) / median(spent.hand)
  const detail = `${median(spent.ours).toFixed(1)} ms against ${median(spent.hand).toFixed(1)} ms`
  return { value: times(ratio), ok: ratio <= most, detail }
}

function expectText(found: string, expected: string): void {
  if (!found.includes(expected)) throw new Error(`expected ${expected} in ${found.slice(0, 300)}`)
}

const glob = {
  name: 'Glob **/*.ts, 12,000 hits, newest 100',
  bar: 'at most 1.3 times rg --files -g + stat + sort by hand',
  run: () =>
    compare(
      async () => expectText(await call('Glob', { pattern: '**/*.ts' }), '"total":12000'),
      async () => {
        const files = (await ripgrep(['--files', '-g', '**/*.ts'])).trimEnd().split('\n')
        const dated = files.map((file) => ({ file, changed: statSync(path.join(root(), file)).mtimeMs }))
        const newest = dated.toSorted((one, other) => other.changed - one.changed).slice(0, 100)
        if (files.length !== 12_000 || newest.length !== 100) throw new Error('the tree is not as expected')
      },
      1.3,
    ),
}

const grepFiles = {
  name: 'Grep a common word, files, 20,000 hits',
  bar: 'at most 1.2 times rg -l',
  run: () =>
    compare(
      async () => expectText(await call('Grep', { pattern: word }), '"total":20000'),
      async () => {
        const files = (await ripgrep(['-l', word, './'])).trimEnd().split('\n')
        if (files.length !== fileCount) throw new Error('the tree is not as expected')
      },
      1.2,
    ),
}

const grepLines = {
  name: 'Grep a common word, content, first 100 lines',
  bar: 'at most 2 times rg killed at 100 lines',
  run: () =>
    compare(
      async () => expectText(await call('Grep', { pattern: word, output_mode: 'content' }), 'there are more'),
      async () => void (await ripgrep(['-n', word, './'], 100)),
      2,
    ),
}

export const benches = [glob, grepFiles, grepLines]
