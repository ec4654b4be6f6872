import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { wireServer } from '../../server/src/testing/wire-server.ts'
import type { WireServer } from '../../server/src/testing/wire-server.ts'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'
import { showChat, storeChat } from './testing/store-chat.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'context (skipped: no Chromium)' : 'context'

const model = { id: 'small', contextWindow: 24_000, maxOutputTokens: 2000, price: { input: 3, output: 15 } }
const usage = { input: 6000, cached: 4500, output: 900, reasoning: 0 }
const line = (topic: string, i: number) => `Line ${i} about ${topic}, with a few words so that it weighs something.\n`
const long = (topic: string) => `# ${topic}\n\n${Array.from({ length: 520 }, (_, i) => line(topic, i)).join('')}`

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Context' })
const openXray = async (page: Page) => {
  await page.getByRole('button', { name: 'Context' }).click()
  await dialog(page).getByRole('region', { name: 'Contents' }).waitFor()
}
const rows = (page: Page) => dialog(page).getByRole('region', { name: 'Contents' }).getByRole('listitem')
const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

describe.skipIf(chromium === undefined || !full)(name, () => {
  let wire: WireServer
  let workspace: TestWorkspace
  beforeAll(async () => {
    wire = await wireServer()
    const providers = {
      near: { type: 'openai-compatible', baseURL: wire.baseURL('custom'), apiKey: 'k', models: [model] },
    }
    const config = { model: 'near/small', providers, useTools: ['Read', 'Grep', 'TodoWrite'] }
    workspace = await openWorkspace(chromium ?? '', {
      home: { 'config.json': JSON.stringify(config), 'AGENTS.md': 'Always be kind to plants.' },
      files: { 'read-me.txt': 'hello\n' },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(async () => {
    await workspace?.close()
    await wire?.close()
  })

  test('the context view shows the pieces of the next call, their cost and the reason for a cache miss', async () => {
    const page = await workspace.sharedPage()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await page.reload()
    const chat = chatPage(page)
    await chat.field.waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Context' }).count()).toBe(0)
    wire.play({ turn: { text: 'Roses need **sun**.', usage } })
    await chat.ask('What do roses need?')
    expect(loaded.filter((url) => url.includes('context-dialog'))).toEqual([])
    await openXray(page)
    const all = await dialog(page).innerText()
    expect(all).toMatch(/of 24k tokens/)
    expect(all).toMatch(/\$0\.0\d+ · near\/small/)
    expect(all).toContain('The prompt cache can be reused.')
    expect(all).toContain('The last answer read 6k tokens, 4.5k (75%) from cache.')
    const texts = await rows(page).allInnerTexts()
    const tokens = texts.map((text) => Number(/([\d,]+)\s+tokens/.exec(text)?.[1]?.replaceAll(',', '')))
    expect(tokens).toEqual(tokens.toSorted((a, b) => b - a))
    expect(texts.join('\n')).toContain('AGENTS.md')
    expect(texts.join('\n')).toContain('Answer: Roses need sun.')
    await dialog(page).getByText('In order').click()
    await expect.poll(() => rows(page).first().innerText()).toContain('Tool:')
    await expect.poll(() => rows(page).last().innerText()).toContain('Answer: Roses need sun.')
    await dialog(page).getByRole('combobox', { name: 'Show' }).selectOption('Messages')
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    const ring = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    expect(ring).toMatch(/^Context: \d+% of 24k tokens used$/)
    // The ring and the dialog agree.
    expect(all).toContain(`${/\d+%/.exec(ring ?? '')?.[0]} ·`)

    await chat.field.press('Alt+m')
    await chat.field.press('Alt+m')
    await page.getByRole('button', { name: 'Mode: Plan' }).waitFor()
    await expect
      .poll(async () => {
        await openXray(page)
        const text = await dialog(page).innerText()
        await page.keyboard.press('Escape')
        return text
      })
      .toMatch(/The prompt cache can’t be fully reused\.[\s\S]*changed at plan mode:[\s\S]*Changed: plan mode/)
  })

  test('older messages are summarized behind a line that expands and can be undone and redone; the context view follows', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const { page } = chat
    for (const topic of ['Tulips', 'Lilies']) {
      wire.play({ turn: { text: long(topic) } })
      await chat.send(`Tell me all about ${topic}.`)
      await page.getByText(`Line 519 about ${topic}`).waitFor()
      await chat.finished()
    }
    wire.play({ turn: { text: 'Tulips and lilies were **looked at**.' } }, { turn: { text: 'Herbs are small.' } })
    await chat.send('And herbs?')
    await page.getByText('Herbs are small.', { exact: true }).waitFor()
    await chat.finished()
    const divider = page.getByRole('group', { name: 'Older messages summarized' })
    await divider.getByRole('button', { name: 'Older messages summarized' }).click()
    const told = await divider.innerText()
    expect(told).toContain('Tulips and lilies were looked at.')
    expect(told).not.toContain('conversation-summary')
    expect(told).toMatch(/Kept word for word[\s\S]*Tell me all about Tulips\./)

    await openXray(page)
    await expect.poll(() => dialog(page).innerText()).toContain('Summary of older messages')
    await page.keyboard.press('Escape')
    await divider.getByRole('button', { name: 'Undo the summary' }).press('Enter')
    const undone = page.getByRole('group', { name: 'Summary undone' })
    await undone.waitFor()
    // The focus stays: the same key undoes it.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Redo the summary')
    await openXray(page)
    expect(await dialog(page).innerText()).not.toContain('Summary of older messages')
    await dialog(page)
      .getByRole('button', { name: /You: Tell me all about Tulips/ })
      .click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('article', { name: 'You' }).getByText('Tell me all about Tulips.').waitFor()
    await page.reload()
    await undone.getByRole('button', { name: 'Redo the summary' }).click()
    await divider.waitFor()
    await divider.getByRole('button', { name: 'Older messages summarized' }).click()
    await divider.getByRole('button', { name: 'Go to the last summarized message' }).click()
    await page.getByText('Herbs are small.', { exact: true }).waitFor({ state: 'detached' })
  })

  test('a piece links to its message, at any distance, in the current branch', async () => {
    const { store, workspace: opened } = workspace.server()
    const at = { sessionId: `long${Date.now()}` }
    await store.sessions.create({ id: at.sessionId, workspaceId: opened.id })
    const say = (id: string, parentMessageId: string | null, role: 'user' | 'assistant', text: string) =>
      store.messages.add(at, { id, parentMessageId, role, parts: [{ type: 'text', text }], createdAt: Date.now() })
    for (let i = 0; i < 150; i++) {
      await say(
        `u${i}`,
        i === 0 ? null : `a${i - 1}`,
        'user',
        i === 3 ? `Question 3. ${'word '.repeat(2000)}` : `Question ${i}.`,
      )
      await say(`a${i}`, `u${i}`, 'assistant', `Answer to ${i}.`)
    }
    await say('other', 'a100', 'user', 'Another way.')
    const page = await workspace.sharedPage()
    await page.evaluate((id) => void (window.location.hash = `s=${id}`), at.sessionId)
    const log = page.getByRole('log', { name: 'Conversation' })
    await log.getByText('Another way.').waitFor()
    await log.getByText('Another way.').hover()
    await page.getByRole('button', { name: /revious/ }).click()
    await log.getByText('Answer to 149.').waitFor()
    await openXray(page)
    await expect.poll(() => dialog(page).innerText()).toMatch(/Messages \(300\)/)
    await dialog(page).getByRole('combobox', { name: 'Show' }).selectOption('Messages')
    await rows(page).first().getByRole('button').click()
    await log.getByText(/^Question 3\./).waitFor()
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await log.getByText('Answer to 149.').waitFor()
  })

  // The test of summaries above undoes one in every run.
  test('a summary made on request can be undone, too', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const { page } = chat
    const texts = ['What does moss need?', 'Moss needs **water**.']
    await showChat(page, await storeChat(workspace.server(), { title: 'Moss', texts }))
    wire.play({ turn: { text: 'Moss was spoken of.' } })
    await chat.send('/compact ')
    const divider = page.getByRole('group', { name: 'Older messages summarized' })
    await divider.getByRole('button', { name: 'Older messages summarized' }).click()
    await divider.getByText('Moss was spoken of.').waitFor()
    await chat.finished()
    await divider.getByRole('button', { name: 'Undo the summary' }).click()
    await page.getByRole('group', { name: 'Summary undone' }).waitFor()
    wire.play({ turn: { text: 'Yes.' } })
    await chat.ask('Is that all?')
    expect(JSON.stringify(wire.requests.at(-1)?.body)).toContain('Moss needs **water**.')
    expect(JSON.stringify(wire.requests.at(-1)?.body)).not.toContain('Moss was spoken of.')
  })

  // The tests above show the same parts on a wide screen.
  test('on a narrow screen it is all there, with the keyboard', async () => {
    const page = await workspace.sharedPage({ width: 390, height: 844 })
    const texts = ['And ferns?', 'Ferns like shade.']
    await showChat(page, await storeChat(workspace.server(), { title: 'Ferns', texts }))
    await page.getByRole('button', { name: 'Chat options' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Context' }).focus()
    await page.keyboard.press('Enter')
    await rows(page).first().waitFor()
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    expect(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    await dialog(page).getByRole('radio', { name: 'Largest first' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => rows(page).last().innerText()).toContain('Answer: Ferns like shade.')
    await dialog(page)
      .getByRole('button', { name: /You: And ferns/ })
      .focus()
    await page.keyboard.press('Enter')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})
