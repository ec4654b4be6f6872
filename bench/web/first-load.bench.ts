import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { fillSession } from './fill-session.ts'
import { mainThread } from './main-thread.ts'
import { withWorkspace } from './open-bench.ts'

const limit = 230

export const benches = [
  { name: 'first load: JavaScript until the first message is shown', bar: `<= ${limit} KB gzip`, run: weigh },
  { name: 'first visit: layout shift (CLS)', bar: '<= 0.02', run: measureShift },
  { name: 'first visit: longest task after the first paint', bar: '<= 50 ms', run: measureTasks },
]

/** Until everything that loads late has loaded, too. */
async function settle(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
}

/** On a wide window and on a phone. */
async function measureShift() {
  const [wide, phone] = [
    await measureShiftAt({ width: 1440, height: 900 }),
    await measureShiftAt({ width: 390, height: 844 }),
  ]
  const worst = phone.total > wide.total ? phone : wide
  return {
    value: worst.total.toFixed(3),
    ok: worst.total <= 0.02,
    detail: `${wide.total.toFixed(3)} at 1440 px, ${phone.total.toFixed(3)} at 390 px: ${worst.detail}`,
  }
}

function measureShiftAt(size: { width: number; height: number }) {
  return withWorkspace({}, async (workspace) => {
    const page = await workspace.newPage()
    await page.setViewportSize(size)
    await page.goto(workspace.server().newUrl())
    await settle(page)
    const shifts = await page.evaluate(
      () =>
        new Promise<{ value: number; sources: string }[]>((resolve) => {
          new PerformanceObserver((list) =>
            resolve(
              (list.getEntries() as unknown as Shift[]).map(({ value, sources }) => ({
                value,
                sources: sources.map(({ node }) => (node as Element | null)?.className ?? '').join(' '),
              })),
            ),
          ).observe({ type: 'layout-shift', buffered: true })
          setTimeout(() => resolve([]), 1000)
        }),
    )
    const total = shifts.reduce((sum, { value }) => sum + value, 0)
    return { total, detail: shifts.map(({ sources }) => sources).join('; ') }
  })
}

interface Shift {
  value: number
  sources: { node: unknown }[]
}

async function measureTasks() {
  return withWorkspace({}, async (workspace) => {
    const page = await workspace.newPage()
    const { longestMs, longestWallMs } = await mainThread(
      page,
      async () => {
        await page.goto(workspace.server().newUrl())
        await settle(page)
      },
      { afterPaint: true },
    )
    return {
      value: `${longestMs.toFixed(0)} ms`,
      ok: longestMs <= 50,
      detail: `${longestWallMs.toFixed(0)} ms by the clock`,
    }
  })
}

/** All requests count, even unnecessary ones. */
async function weigh() {
  return withWorkspace({}, async (workspace) => {
    await fillSession(workspace.server(), 'some', 20)
    const page = await workspace.newPage()
    await page.goto(`${workspace.server().newUrl()}&s=some`, { waitUntil: 'commit' })
    const scripts = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const look = () => {
            if (document.querySelector('article') === null) return requestAnimationFrame(look)
            const asked = performance.getEntriesByType('resource').map(({ name: address }) => new URL(address).pathname)
            return resolve(asked.filter((path) => path.endsWith('.js')))
          }
          look()
        }),
    )
    const sizes = await Promise.all(
      scripts.map(async (path) => {
        const answer = await page.request.get(new URL(path, page.url()).href)
        return gzipSync(await answer.body(), { level: 9 }).length
      }),
    )
    const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000
    return {
      value: `${kilobytes.toFixed(0)} KB`,
      ok: kilobytes <= limit,
      detail: scripts.map((path) => path.replace(/.*\/|-[^-]*$/g, '')).join(' '),
    }
  })
}
