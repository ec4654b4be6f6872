import type { Buffer } from 'node:buffer'
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  type AgentState,
  createAgentState,
  createMemoryAsks,
  createMemoryLog,
  createPolicy,
  decide,
  findTool,
  getBuiltinTools,
  run,
  type Tool,
  type ToolContext,
} from '@troupe/core'
import { scriptedModel, testToolContext } from '@troupe/core/testing'
import { median, times } from './measure.ts'

const lineCount = 1_000_000
const shownLines = 200
const readCount = 1000

interface Place {
  root: string
  state: AgentState
  ctx: ToolContext
}

let made: Place | undefined

function place(): Place {
  if (made !== undefined) return made
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')))
  process.once('exit', () => rmSync(base, { recursive: true, force: true }))
  const root = path.join(base, 'workspace')
  mkdirSync(root)
  const state = createAgentState({ workspace: root, outputFolder: path.join(base, 'output') })
  made = { root, state, ctx: testToolContext({ state }) }
  return made
}

const tools = getBuiltinTools()

async function call(name: string, given: object): Promise<unknown> {
  const tool = findTool(name, tools) as Tool
  const input: unknown = tool.input.parse(given)
  return tool.execute(input, place().ctx)
}

let long: string | undefined

/** Creates a file of 50 MB with a million lines. */
async function longFile(): Promise<string> {
  if (long !== undefined) return long
  const file = path.join(place().root, 'long.txt')
  const stream = createWriteStream(file)
  for (let from = 0; from < lineCount; from += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      `line ${String(from + index).padStart(7)} of a long file, `.padEnd(51, 'x'),
    )
    stream.write(`${lines.join('\n')}\n`)
  }
  await new Promise((resolve) => stream.end(resolve))
  long = file
  return file
}

/** Baseline without a tool: streams the file, counts newlines on its bytes, decodes the lines of the range. */
async function byHand(file: string, offset: number): Promise<string[]> {
  let before = offset - 1
  let kept = ''
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0
    while (before > 0) {
      const newline = chunk.indexOf(10, from)
      if (newline === -1) break
      from = newline + 1
      before--
    }
    if (before > 0) continue
    kept += chunk.toString('utf8', from)
    const lines = kept.split('\n')
    if (lines.length > shownLines) return lines.slice(0, shownLines)
  }
  return kept.split('\n').slice(0, shownLines)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

interface Measured {
  value: string
  ok: boolean
  detail: string
}

async function against(
  rounds: number,
  bar: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  pause = 0,
): Promise<Measured> {
  const [own, other]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds + 2; round++) {
    other.push(await timed(theirs))
    await setTimeout(pause)
    own.push(await timed(ours))
  }
  const [a, b] = [median(own.slice(2)), median(other.slice(2))]
  return { value: times(a / b), ok: a / b <= bar, detail: `${a.toFixed(1)} ms against ${b.toFixed(1)} ms` }
}

async function readAt(offset: number, rounds: number): Promise<Measured> {
  const file = await longFile()
  const ours = async (): Promise<void> => {
    const { output } = (await call('Read', { file_path: file, offset, limit: shownLines })) as {
      output: { lines: number }
    }
    if (output.lines !== shownLines) throw new Error(`${output.lines} lines instead of ${shownLines}`)
  }
  return against(rounds, 1.5, ours, () => byHand(file, offset))
}

/** Returns the peak memory growth while reading the end of the file repeatedly. */
async function readMemory(): Promise<Measured> {
  const file = await longFile()
  const readEnd = (): Promise<unknown> => call('Read', { file_path: file, offset: lineCount - shownLines + 1 })
  for (let round = 0; round < 3; round++) await readEnd()
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2)
  for (let round = 0; round < 10; round++) await readEnd()
  clearInterval(timer)
  const grown = (most - before) / 2 ** 20
  return { value: `${grown.toFixed(1)} MiB`, ok: grown <= 16, detail: 'ten readings of the last 200 lines' }
}

async function manyReads(): Promise<Measured> {
  const { root, state } = place()
  const folder = path.join(root, 'small')
  mkdirSync(folder, { recursive: true })
  const content = Array.from(
    { length: 40 },
    (_, line) => `export const value${line} = compute('text ${line}') //`,
  ).join('\n')
  for (let index = 0; index < readCount; index++) {
    writeFileSync(path.join(folder, `file-${index}.ts`), `${content.padEnd(2047, 'x')}\n`)
  }
  const read = findTool('Read', tools) as Tool
  const costs: number[] = []
  for (let round = 0; round < 12; round++) {
    const calls = Array.from({ length: readCount }, (_, index) => ({
      call: { name: 'Read', input: { file_path: `small/file-${index}.ts` }, id: `c${index}` },
    }))
    const model = scriptedModel([calls, [{ text: 'done' }]], { record: false })
    const before = process.cpuUsage()
    const { message } = await run({
      runId: 'r',
      messageId: 'a',
      session: { id: 's' },
      workspace: { id: 'w', path: root },
      frames: [{ kind: 'master', name: 'master', depth: 0, path: ['master'] }],
      model: { id: 'bench/reads', model },
      tools: [read],
      history: [{ id: 'u', parentMessageId: null, role: 'user', parts: [{ type: 'text', text: 'go' }], createdAt: 0 }],
      signal: new AbortController().signal,
      log: createMemoryLog(),
      asks: createMemoryAsks(() => ({ type: 'approve' })),
      decide: (one, ctx) => decide(one, ctx, createPolicy()),
      state: () => state,
    })
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1000)
    if (message.parts.filter((part) => 'output' in part).length !== readCount) throw new Error('a call has no result')
  }
  const cost = median(costs.slice(3))
  return { value: `${cost.toFixed(0)} ms`, ok: cost <= 150, detail: 'CPU of the whole step, the loop included' }
}

/** Edits a file of 5 MB in which all lines differ, so that one can be addressed. */
async function editLong(ending: string): Promise<Measured> {
  const { root } = place()
  const lines = Array.from({ length: 100_000 }, (_, index) =>
    `line ${index} of a file that is edited in its middle`.padEnd(51, 'x'),
  )
  const file = path.join(root, `edit-${ending.length}.txt`)
  writeFileSync(file, lines.join(ending))
  await call('Read', { file_path: file, offset: 50_000, limit: 10 })
  let turn = 0
  const edit = async (): Promise<void> => {
    const [from, to] = turn++ % 2 === 0 ? ['line 50000 of', 'LINE 50000 OF'] : ['LINE 50000 OF', 'line 50000 of']
    await call('Edit', { file_path: file, old_string: `x\n${from}`, new_string: `x\n${to}` })
  }
  // Milliseconds between edits, longer than the resolution of file times.
  const pause = 20
  return against(15, 3, edit, async () => writeFile(`${file}.copy`, await readFile(file)), pause)
}

export const benches = [
  {
    name: 'Read 200 lines at the start of 50 MB',
    bar: 'at most 1.5 times a hand-written stream',
    run: () => readAt(1, 100),
  },
  {
    name: 'Read 200 lines at the end of 50 MB',
    bar: 'at most 1.5 times a hand-written stream',
    run: () => readAt(lineCount - shownLines + 1, 7),
  },
  { name: 'memory of reading the end of 50 MB', bar: 'at most 16 MiB more', run: readMemory },
  { name: '1,000 Reads of 2 KB in one step', bar: 'at most 150 ms CPU', run: manyReads },
  { name: 'Edit of a 5 MB file', bar: 'at most 3 times read + write', run: () => editLong('\n') },
  { name: 'Edit of a 5 MB file with CRLF', bar: 'at most 3 times read + write', run: () => editLong('\r\n') },
]
