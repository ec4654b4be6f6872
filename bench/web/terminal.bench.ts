import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { mainThread } from './main-thread.ts'
import { withWorkspace } from './open-bench.ts'

const megabytes = 100

interface Flood {
  longestMs: number
  longestWallMs: number
  totalMs: number
  /** From the program's end to its prompt on the screen. */
  promptMs: number
  wholeMs: number
  /** Peak of this process, which is the server and the driver of the browser. */
  grownMb: number
  /** Average growth of the peak when the same output is repeated. The first repetitions fill caches. */
  laterMb: number
  interruptMs: number
}

/** Measured once for the four lines of the table. */
let measured: Promise<Flood> | undefined
const flood = () => (measured ??= measure())

export const benches = [
  {
    name: `terminal, ${megabytes} MB of output: the longest task of the page`,
    bar: '<= 100 ms',
    async run() {
      const { longestMs, longestWallMs, totalMs } = await flood()
      const detail = `${longestWallMs.toFixed(0)} ms by the clock, all tasks ${(totalMs / 1000).toFixed(1)} s`
      return { value: `${longestMs.toFixed(0)} ms`, ok: longestMs <= 100, detail }
    },
  },
  {
    name: 'the prompt after the last byte',
    bar: '<= 1 s',
    async run() {
      const { promptMs, wholeMs } = await flood()
      return {
        value: `${promptMs.toFixed(0)} ms`,
        ok: promptMs <= 1000,
        detail: `${(wholeMs / 1000).toFixed(1)} s from Enter`,
      }
    },
  },
  {
    name: 'the prompt after Ctrl+C during endless output',
    bar: '<= 1 s',
    async run() {
      const { interruptMs } = await flood()
      return { value: `${interruptMs.toFixed(0)} ms`, ok: interruptMs <= 1000 }
    },
  },
  {
    name: `memory of the server meanwhile, and ${megabytes} MB later`,
    bar: '<= +128 MB, then <= +16 MB',
    async run() {
      const { grownMb, laterMb } = await flood()
      return { value: `+${grownMb.toFixed(0)} MB, +${laterMb.toFixed(0)} MB`, ok: grownMb <= 128 && laterMb <= 16 }
    },
  },
]

async function measure(): Promise<Flood> {
  return { ...(await measureMemory()), ...(await measureTime()) }
}

/** Without a trace, which is read in this process, too. */
function measureMemory(): Promise<Pick<Flood, 'grownMb' | 'laterMb'>> {
  return withTerminal(async (page) => {
    await new Promise((resolve) => setTimeout(resolve, 1500))
    const before = process.memoryUsage().rss
    const first = await peakOf(page, 'once')
    const second = await peakOf(page, 'twice')
    let last = second
    for (const name of ['thrice', 'fourth', 'fifth']) last = await peakOf(page, name)
    return { grownMb: (Math.max(first, second) - before) / 1e6, laterMb: Math.max(0, (last - second) / 3e6) }
  })
}

function measureTime(): Promise<Omit<Flood, 'grownMb' | 'laterMb'>> {
  return withTerminal(async (page, folder) => {
    const begun = Date.now()
    const tasks = await mainThread(page, async () => {
      await page.keyboard.type('cat large.txt; date +%s%3N > ended; echo all-"done"\n')
      await shown(page, /all-done/)
    })
    const seenAt = await lastSeen(page)
    const endedAt = Number(readFileSync(path.join(folder, 'ended'), 'utf8'))
    await page.keyboard.type('clear; yes\n')
    await shown(page, /y\ny\ny/)
    await page.waitForTimeout(1000)
    const pressed = Date.now()
    await page.keyboard.press('Control+c')
    await shown(page, /\^C/)
    const interruptMs = (await lastSeen(page)) - pressed
    return { ...tasks, promptMs: seenAt - endedAt, wholeMs: seenAt - begun, interruptMs }
  })
}

function withTerminal<Result>(work: (page: Page, folder: string) => Promise<Result>): Promise<Result> {
  return withWorkspace({}, async (workspace) => {
    const line = 'line %.0f of a log, as long as lines of logs are, more or less'
    const file = path.join(workspace.folder, 'large.txt')
    execFileSync('bash', ['-c', `seq -f '${line}' 2000000 | head -c ${megabytes}000000 > "$1"`, 'bash', file])
    const page = await workspace.open()
    await page.keyboard.press('Control+`')
    await shown(page, /[$#] $/)
    return work(page, workspace.folder)
  })
}

function lastSeen(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { seenAt: number }).seenAt)
}

/** Waits until the screen shows a text, and notes when. */
async function shown(page: Page, text: RegExp): Promise<void> {
  await page.waitForFunction(
    ([source]) => {
      const rows = [...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent?.trimEnd() ?? '')
      const isShown = new RegExp(source ?? '').test(`${rows.filter((row) => row !== '').join('\n')} `)
      if (isShown) (window as unknown as { seenAt: number }).seenAt = Date.now()
      return isShown
    },
    [text.source],
    { polling: 'raf', timeout: 120_000 },
  )
}

async function peakOf(page: Page, mark: string): Promise<number> {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20)
  await page.keyboard.type(`clear; cat large.txt; echo ${mark}-"done"\n`)
  await shown(page, new RegExp(`${mark}-done`))
  clearInterval(timer)
  return peak
}
