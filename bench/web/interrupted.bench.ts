import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { chatPage } from '../../packages/web/e2e/testing/chat-page.ts'
import { withWorkspace } from './open-bench.ts'
import { tickingModel } from './ticking-model.ts'

const words = 1800
const perSecond = 100
const awayMs = 10_000
const pieces = Array.from({ length: words }, (_, index) => `w${index} `)

export const benches = [
  {
    name: 'reload, second tab, ten seconds offline and ten asleep during a run: words lost and words doubled',
    bar: '0 and 0',
    async run() {
      return withWorkspace({ models: { 'bench/ticking': tickingModel(pieces, perSecond) } }, async (workspace) => {
        const first = await workspace.open()
        const address = await begin(first)
        const others = await Promise.all([workspace.open(), workspace.open(), first.context().newPage()])
        await Promise.all(others.map((page) => page.goto(address)))
        const [offline, asleep, second] = others as [Page, Page, Page]
        await Promise.all([reloads(first), isAway(offline), sleeps(asleep)])
        const all = await Promise.all([first, offline, asleep, second].map(readAtTheEnd))
        const lost = all.reduce((sum, one) => sum + one.lost, 0)
        const doubled = all.reduce((sum, one) => sum + one.doubled, 0)
        const sessionId = new URLSearchParams(new URL(address).hash.slice(1)).get('s') ?? ''
        const { messages } = await workspace.server().store.messages.page({ sessionId })
        return {
          value: `${lost} and ${doubled}`,
          ok: lost === 0 && doubled === 0 && messages.length === 2,
          detail: `of ${words} words in each of ${all.length} pages, ${messages.length} messages stored`,
        }
      })
    },
  },
]

async function begin(page: Page): Promise<string> {
  const chat = chatPage(page)
  await chat.send('Go')
  await chat.lastAnswer.getByText('w0').waitFor()
  return page.url()
}

async function reloads(page: Page): Promise<void> {
  for (let times = 0; times < 4; times++) {
    await wait(awayMs / 4)
    await page.reload()
  }
}

async function isAway(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await wait(awayMs)
  await page.context().setOffline(false)
}

async function sleeps(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await wait(awayMs)
  await session.send('Page.setWebLifecycleState', { state: 'active' })
}

async function readAtTheEnd(page: Page): Promise<{ lost: number; doubled: number }> {
  const chat = chatPage(page)
  page.setDefaultTimeout(60_000)
  await chat.lastAnswer.getByText(`w${words - 1}`).waitFor()
  await chat.finished()
  const text = (await chat.answers.allInnerTexts()).join(' ')
  const seen = (text.match(/\bw\d+\b/g) ?? []).map((word) => Number(word.slice(1)))
  const counts = new Map<number, number>()
  for (const word of seen) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { lost: words - counts.size, doubled: seen.length - counts.size }
}
