import type { Page } from 'playwright-core'
import { median, times } from '../measure.ts'
import { fillSession, lastWords } from './fill-session.ts'
import { withWorkspace } from './open-bench.ts'

/** Many rounds, because only some navigations reuse a process that already knows the page. */
const rounds = 41

const opening = {
  name: 'open a session of 5,000 messages: first paint of its tail, against an empty session',
  bar: '<= 1.30x',
  async run() {
    return withWorkspace({}, async (workspace) => {
      await fillSession(workspace.server(), 'large', 5000)
      const page = await workspace.open()
      const large: number[] = []
      const empty: number[] = []
      // The first round is a warm-up.
      for (let round = 0; round <= rounds; round++) {
        large[round] = await paintTime(page, '/#s=large', lastWords)
        empty[round] = await paintTime(page, '/', 'What are we working on?')
      }
      const ratio = median(large.slice(1)) / median(empty.slice(1))
      return {
        value: times(ratio),
        ok: ratio <= 1.3,
        detail: `${median(large.slice(1)).toFixed(0)} ms against ${median(empty.slice(1)).toFixed(0)} ms`,
      }
    })
  },
}

const memory = {
  name: 'open a session of 5,000 messages: memory, against one of 60',
  bar: '<= 1.10x',
  async run() {
    return withWorkspace({}, async (workspace) => {
      await fillSession(workspace.server(), 'large', 5000)
      await fillSession(workspace.server(), 'small', 60)
      const page = await workspace.open()
      await paintTime(page, '/#s=small', lastWords)
      const small = await heap(page)
      await paintTime(page, '/#s=large', lastWords)
      const large = await heap(page)
      return {
        value: times(large / small),
        ok: large / small <= 1.1,
        detail: `${(large / 1e6).toFixed(1)} MB against ${(small / 1e6).toFixed(1)} MB`,
      }
    })
  },
}

export const benches = [opening, memory]

/** Returns milliseconds from the start of the navigation to the frame that shows the text. */
async function paintTime(page: Page, path: string, text: string): Promise<number> {
  const { origin } = new URL(page.url())
  await page.goto('about:blank')
  await page.goto(origin + path, { waitUntil: 'commit' })
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = () => {
          const shown = [...document.querySelectorAll('article, h1, h2')]
          const isThere = shown.some(({ textContent }) => textContent.includes(wanted))
          if (isThere) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
          else requestAnimationFrame(look)
        }
        look()
      }),
    text,
  )
}

async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
