import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined
    ? 'the list of messages (skipped: no Chromium, CHROMIUM_PATH is not set)'
    : 'the list of messages'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
    await storeLongSession(workspace)
    await storeLinks(workspace)
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  async function open(sessionId: string, words: string): Promise<Page> {
    const page = await workspace.sharedPage({ width: 1000, height: 700 })
    // Without an event, so that the page does not show the chat before it is loaded again.
    await page.evaluate((hash) => window.history.replaceState(null, '', hash), `#s=${sessionId}`)
    await page.reload()
    await page.getByText(words).waitFor()
    return page
  }
  const openLong = () => open('long', 'The end of 239.')
  const leftBelow = (page: Page) =>
    page.locator('.list-scroller').evaluate(({ scrollHeight, scrollTop, clientHeight }) => {
      return scrollHeight - scrollTop - clientHeight
    })

  test('starts at its end, renders few rows, and reaches the first message without moving the view', async () => {
    const page = await openLong()
    expect(await page.locator('article').count()).toBeLessThan(40)
    const { moves, articles, first } = await page.evaluate(async () => {
      const scroller = document.querySelector<HTMLElement>('.list-scroller')!
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const inSight = () =>
        [...document.querySelectorAll('article')].find((article) => article.getBoundingClientRect().bottom > 120)!
      const first = () => document.querySelector('article')?.textContent.includes('Message 0.') === true
      const moves: number[] = []
      let articles = 0
      for (let steps = 0; steps < 600 && !(first() && scroller.scrollTop <= 0); steps++) {
        const watched = inSight()
        const before = watched.getBoundingClientRect().top
        const scrolled = Math.min(600, scroller.scrollTop)
        scroller.scrollTop -= scrolled
        await frame()
        await frame()
        if (watched.isConnected) moves.push(Math.abs(watched.getBoundingClientRect().top - before - scrolled))
        articles = Math.max(articles, document.querySelectorAll('article').length)
      }
      return { moves, articles, first: first() }
    })
    expect(first).toBe(true)
    expect(articles).toBeLessThan(60)
    expect(moves.length).toBeGreaterThan(40)
    expect(Math.max(...moves)).toBeLessThan(1.5)
  })

  test.runIf(full)('shows content after a jump, up and down', async () => {
    const page = await openLong()
    const filled = () =>
      page.evaluate(() => {
        const box = document.querySelector('.list-scroller')!.getBoundingClientRect()
        return (
          document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.closest('article') !== null
        )
      })
    await page.evaluate(() => (document.querySelector('.list-scroller')!.scrollTop = 0))
    await expect.poll(filled).toBe(true)
    await page.getByText('Message 180.').waitFor()
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await expect.poll(() => page.getByText('The end of 239.').isVisible()).toBe(true)
    await expect.poll(filled).toBe(true)
  })

  test.runIf(full)('opens at its end, even if messages are lower than estimated', async () => {
    const page = await open('links', 'The last of them.')
    await page.getByRole('button', { name: 'Copy' }).last().waitFor()
    await expect.poll(() => leftBelow(page)).toBeLessThan(2)
    expect(await page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
  })

  test.runIf(full)('Home and End reach the ends of the loaded messages with one press', async () => {
    const page = await openLong()
    await page.locator('.list-scroller').focus()
    await page.keyboard.press('Home')
    await expect.poll(() => page.getByText('Message 180.').count()).toBe(1)
    await page.keyboard.press('End')
    await expect.poll(() => leftBelow(page)).toBeLessThan(2)
    await expect.poll(() => page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0)
  })

  test.runIf(full)('another branch is shown at its fork', async () => {
    const page = await openLong()
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find in this chat' }).fill('Message 100.')
    const fork = page.locator('[data-message=m100]')
    await fork.getByRole('button', { name: 'Next branch' }).waitFor()
    await page.getByRole('button', { name: 'Close search' }).click()
    await fork.getByRole('button', { name: 'Next branch' }).click()
    await page.locator('[data-message=m1000]').waitFor()
    await expect.poll(() => inBox(page, '[data-message=m1000]')).toBe(true)
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
  })

  test('changes above the viewport do not move the view', async () => {
    const page = await openLong()
    const moved = await page.evaluate(async () => {
      const scroller = document.querySelector<HTMLElement>('.list-scroller')!
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      scroller.scrollTop -= 900
      for (let frames = 0; frames < 4; frames++) await frame()
      const edge = scroller.getBoundingClientRect().top
      const rows = [...document.querySelectorAll<HTMLElement>('.list-rows > .row')]
      const watched = rows.find((row) => row.getBoundingClientRect().top > edge)!
      const above = rows.filter((row) => row.getBoundingClientRect().bottom < edge).at(-1)!
      const before = watched.getBoundingClientRect().top
      const seen: number[] = []
      for (const padding of ['400px', '0px']) {
        above.style.paddingTop = padding
        await frame()
        await frame()
        seen.push(Math.abs(watched.getBoundingClientRect().top - before))
      }
      return seen
    })
    expect(Math.max(...moved)).toBeLessThan(1.5)
  })

  test.runIf(full)('a place that is found in another branch is shown, not that branch’s end', async () => {
    const page = await openLong()
    await page.keyboard.press('Control+f')
    await page.getByRole('textbox', { name: 'Find in this chat' }).fill('Message 1012.')
    await expect.poll(() => page.locator('.find-place').innerText()).toMatch(/^1 of 1/)
    await expect.poll(() => page.getByText('Message 1012.').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await expect.poll(() => page.getByText('The end of 1039.').isVisible()).toBe(true)
  })

  test.runIf(full)('keeps the focus in the conversation when the focused row is removed', async () => {
    const page = await openLong()
    await page.getByRole('button', { name: 'Copy' }).last().focus()
    await page.mouse.move(500, 300)
    for (let turns = 0; turns < 12; turns++) await page.mouse.wheel(0, -600)
    const role = () => page.evaluate(() => document.activeElement?.getAttribute('role'))
    await expect.poll(role).toBe('log')
    await page.keyboard.press('End')
    await expect.poll(() => page.getByText('The end of 239.').isVisible()).toBe(true)
  })
})

function inBox(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((named) => {
    const box = document.querySelector('.list-scroller')?.getBoundingClientRect()
    const place = document.querySelector(named)?.getBoundingClientRect()
    return box !== undefined && place !== undefined && place.top < box.bottom && place.bottom > box.top
  }, selector)
}

/** Stores answers whose text is mostly hidden URLs. */
async function storeLinks(workspace: TestWorkspace): Promise<void> {
  const { store, workspace: place } = workspace.server()
  await store.sessions.create({ id: 'links', workspaceId: place.id, title: 'Links' })
  for (let index = 0; index < 40; index++) {
    const links = Array.from({ length: 12 }, (_, nth) => `[${nth}](https://example.org/${'x'.repeat(300)}${nth})`)
    const text = index % 2 === 0 ? `Question ${index}` : `${links.join(' ')}${index === 39 ? ' The last of them.' : ''}`
    await store.messages.add(
      { sessionId: 'links' },
      {
        id: `l${index}`,
        parentMessageId: index === 0 ? null : `l${index - 1}`,
        role: index % 2 === 0 ? 'user' : 'assistant',
        parts: [{ type: 'text', text }],
        createdAt: index + 1,
      },
    )
  }
}

/** Stores two branches: one of 240 messages, and an older one that forks after 100 and has 40 more. */
async function storeLongSession(workspace: TestWorkspace): Promise<void> {
  const { store, workspace: place } = workspace.server()
  await store.sessions.create({ id: 'long', workspaceId: place.id, title: 'Long' })
  const add = (index: number, parent: number | null) => {
    const text = `Message ${index}.\n\n${`Words of ${index}. `.repeat((index * 37) % 90)}\n\nThe end of ${index}.`
    const role = index % 2 === 0 ? 'user' : 'assistant'
    const parentMessageId = parent === null ? null : `m${parent}`
    const message = { id: `m${index}`, parentMessageId, role, parts: [{ type: 'text' as const, text }] } as const
    return store.messages.add({ sessionId: 'long' }, { ...message, parts: [...message.parts], createdAt: index + 1 })
  }
  for (let index = 0; index < 100; index++) await add(index, index === 0 ? null : index - 1)
  for (let index = 1000; index < 1040; index++) await add(index, index === 1000 ? 99 : index - 1)
  for (let index = 100; index < 240; index++) await add(index, index - 1)
}
