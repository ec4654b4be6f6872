import type { Page } from 'playwright-core'

export interface MainThread {
  /** CPU time of all tasks, and of the longest. Excludes other programs. */
  totalMs: number
  longestMs: number
  /** Longest task in wall time. */
  longestWallMs: number
}

interface TraceEvent {
  name: string
  ph: string
  ts: number
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args?: { name?: string }
}

/** Measures the tasks of a page while it works. `afterPaint`: only those after its first contentful paint. */
export async function mainThread(
  page: Page,
  work: () => Promise<void>,
  { afterPaint = false } = {},
): Promise<MainThread> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser.')
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'loading'] })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] }
  const threads = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const paint = trace.traceEvents.find(({ name }) => name === 'firstContentfulPaint')
  if (afterPaint && paint === undefined) throw new Error('The trace has no first paint.')
  const tasks = new Map<string, TraceEvent[]>()
  for (const event of trace.traceEvents) {
    const key = `${event.pid} ${event.tid}`
    if (event.ph !== 'X' || !event.name.endsWith('RunTask') || !threads.has(key)) continue
    if (afterPaint && event.ts < (paint?.ts ?? 0)) continue
    const known = tasks.get(key)
    if (known === undefined) tasks.set(key, [event])
    else known.push(event)
  }
  const all = [...tasks.values()].map(measure)
  const busiest = all.toSorted((a, b) => b.totalMs - a.totalMs)[0]
  if (busiest === undefined) throw new Error('The trace has no tasks of a page.')
  return busiest
}

function measure(events: TraceEvent[]): MainThread {
  const times = events.map(({ tdur, dur = 0 }) => (tdur ?? dur) / 1000)
  return {
    totalMs: times.reduce((sum, time) => sum + time, 0),
    longestMs: Math.max(...times),
    longestWallMs: Math.max(...events.map(({ dur = 0 }) => dur / 1000)),
  }
}
