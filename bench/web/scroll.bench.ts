import type { Page } from 'playwright-core'
import { fillSession, lastWords } from './fill-session.ts'
import { withWorkspace } from './open-bench.ts'
import { piecesOf, tickingModel } from './ticking-model.ts'

const models = { 'bench/ticking': tickingModel(piecesOf(1000), 250) }
const count = 5000

export const benches = [
  {
    name: `scroll through ${count} messages: longest run of frames with nothing in them`,
    bar: '<= 2 frames',
    async run() {
      return withWorkspace({}, async (workspace) => {
        const page = await openFilled(workspace.server(), await workspace.newPage({ reducedMotion: 'no-preference' }))
        const { frames, blank, longest, reached } = await scrollThrough(page)
        return {
          value: `${longest} frames`,
          ok: longest <= 2 && reached,
          detail: `${blank} of ${frames} frames${reached ? '' : ', the first message was not reached'}`,
        }
      })
    },
  },
  {
    name: 'place in the middle of a chat while an answer is streamed',
    bar: '<= 1 px of drift',
    async run() {
      return withWorkspace({ models }, async (workspace) => {
        const page = await openFilled(
          workspace.server(),
          await workspace.newPage({ reducedMotion: 'no-preference' }),
          300,
        )
        const drift = await driftWhileStreaming(page)
        return { value: `${drift.toFixed(1)} px`, ok: drift <= 1 }
      })
    },
  },
]

async function openFilled(server: Parameters<typeof fillSession>[0] & { newUrl(): string }, page: Page, size = count) {
  await fillSession(server, 'long', size)
  page.setDefaultTimeout(120_000)
  await page.goto(`${server.newUrl()}&s=long`)
  await page.getByText(lastWords).waitFor()
  return page
}

/** Scrolls up to the first message, one screen every other frame, then down again through everything loaded. */
function scrollThrough(page: Page) {
  return page.evaluate(async () => {
    const scroller = document.querySelector<HTMLElement>('.list-scroller')
    if (scroller === null) throw new Error('no list')
    const box = scroller.getBoundingClientRect()
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    let frames = 0
    let blank = 0
    let longest = 0
    let current = 0
    const look = async () => {
      await frame()
      frames++
      const isFilled = [0.25, 0.5, 0.75].some((part) => {
        const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height * part)
        return at !== null && at.closest('article') !== null
      })
      current = isFilled ? 0 : current + 1
      if (!isFilled) blank++
      longest = Math.max(longest, current)
    }
    const isFirst = () => document.querySelector('article')?.textContent.includes('Question 0:') === true
    const start = performance.now()
    while (!(scroller.scrollTop <= 0 && isFirst()) && performance.now() - start < 120_000) {
      scroller.scrollTop -= box.height
      await look()
      await look()
    }
    const reached = isFirst()
    while (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > 2) {
      scroller.scrollTop += box.height
      await look()
    }
    return { frames, blank, longest, reached }
  })
}

async function driftWhileStreaming(page: Page): Promise<number> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill('Go')
  await field.press('Enter')
  await page.getByText('Step 1').last().waitFor()
  return page.evaluate(async () => {
    const scroller = document.querySelector<HTMLElement>('.list-scroller')
    if (scroller === null) throw new Error('no list')
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    scroller.scrollTop -= 3000
    for (let settling = 0; settling < 20; settling++) await frame()
    const middle = scroller.getBoundingClientRect().top + scroller.clientHeight / 2
    const watched = [...document.querySelectorAll('article')].find(
      (article) => article.getBoundingClientRect().bottom > middle,
    )
    if (watched === undefined) throw new Error('nothing in sight')
    const before = watched.getBoundingClientRect().top
    let drift = 0
    for (let frames = 0; frames < 90; frames++) {
      await frame()
      drift = Math.max(drift, Math.abs(watched.getBoundingClientRect().top - before))
    }
    return watched.isConnected ? drift : Number.POSITIVE_INFINITY
  })
}
