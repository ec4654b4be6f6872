import type { Page } from 'playwright-core'
import { times } from '../measure.ts'
import { fillSession } from './fill-session.ts'
import { mainThread } from './main-thread.ts'
import type { MainThread } from './main-thread.ts'
import { withWorkspace } from './open-bench.ts'
import { buildOtherPage } from './other-page/build.ts'
import { piecesOf, tickingModel } from './ticking-model.ts'

const deltas = 1000
const perSecond = 250
const stored = 1000
const models = { 'bench/ticking': tickingModel(piecesOf(deltas), perSecond) }

/** Measured once for the three lines of the table. */
let measured: Promise<{ own: MainThread; other: MainThread }> | undefined
const both = () => (measured ??= measureBoth())

export const benches = [
  {
    name: `main thread while ${deltas} deltas arrive at ${perSecond}/s in a chat of ${stored} messages`,
    bar: '<= 1.2 s of 4 s',
    async run() {
      const { own } = await both()
      return { value: `${(own.totalMs / 1000).toFixed(2)} s`, ok: own.totalMs <= 1200 }
    },
  },
  {
    name: 'the longest task meanwhile',
    bar: '<= 50 ms',
    async run() {
      const { own } = await both()
      return {
        value: `${own.longestMs.toFixed(0)} ms`,
        ok: own.longestMs <= 50,
        detail: `${own.longestWallMs.toFixed(0)} ms by the clock`,
      }
    },
  },
  {
    name: 'the same stream in useChat and streamdown, not virtualised, against ours',
    bar: '>= 2.00x',
    async run() {
      const { own, other } = await both()
      const ratio = other.totalMs / own.totalMs
      return {
        value: times(ratio),
        ok: ratio >= 2,
        detail: `${(other.totalMs / 1000).toFixed(2)} s, longest task ${other.longestMs.toFixed(0)} ms`,
      }
    },
  },
]

async function measureBoth(): Promise<{ own: MainThread; other: MainThread }> {
  const own = await measure(undefined, {
    ready: async (page) => page.getByRole('article').last().waitFor(),
    async play(page) {
      const field = page.getByRole('textbox', { name: 'Message', exact: true })
      await field.fill('Go')
      await field.press('Enter')
      const last = page.getByRole('article', { name: 'Answer' }).last()
      // Uses a CSS selector: a role query scans the whole page repeatedly on the measured thread.
      await page.locator('button[aria-label=Stop]').waitFor()
      await page.locator('button[aria-label=Stop]').waitFor({ state: 'detached' })
      await last.getByRole('button', { name: 'Regenerate' }).waitFor()
    },
  })
  const other = await measure(await buildOtherPage(), {
    ready: async (page) =>
      page
        .locator('article')
        .nth(stored - 1)
        .waitFor(),
    async play(page) {
      await page.evaluate(() => (window as unknown as { send(text: string): void }).send('Go'))
      await page.locator('main[data-status=streaming]').waitFor()
      await page.locator('main[data-status=ready]').waitFor()
    },
  })
  return { own, other }
}

interface Player {
  ready(page: Page): Promise<unknown>
  play(page: Page): Promise<unknown>
}

function measure(webFolder: string | undefined, { ready, play }: Player): Promise<MainThread> {
  return withWorkspace({ models, webFolder }, async (workspace) => {
    await fillSession(workspace.server(), 'chat', stored)
    const page = await workspace.newPage({ reducedMotion: 'no-preference' })
    page.setDefaultTimeout(120_000)
    await page.goto(`${workspace.server().newUrl()}&s=chat`)
    await ready(page)
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    return mainThread(page, async () => void (await play(page)))
  })
}
