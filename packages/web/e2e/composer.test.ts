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
const name = chromium === undefined ? 'composer (skipped: no Chromium)' : 'composer'

const soon = { timeout: 10_000 }

function composer(page: Page) {
  const chat = chatPage(page)
  const queue = page.getByRole('region', { name: 'Queued messages' })
  return {
    ...chat,
    running: page.getByRole('textbox', { name: 'Follow-up message' }),
    queue,
    items: queue.getByRole('listitem'),
    texts: () => queue.locator('.queue-words').allInnerTexts(),
    chips: page.getByRole('list', { name: 'Attached files' }).getByRole('listitem'),
    async paste(text: string) {
      await chat.field.evaluate((field, pasted) => {
        const data = new DataTransfer()
        data.setData('text/plain', pasted)
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
      }, text)
    },
  }
}

describe.skipIf(chromium === undefined)(name, () => {
  let wire: WireServer
  let workspace: TestWorkspace
  beforeAll(async () => {
    wire = await wireServer()
    const acme = {
      type: 'openai-compatible',
      baseURL: wire.baseURL('custom'),
      apiKey: 'k-0123456789',
      models: ['large-1'],
    }
    const config = { model: 'demo/tour', providers: { acme } }
    workspace = await openWorkspace(chromium ?? '', { home: { 'config.json': JSON.stringify(config) } })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(async () => {
    await workspace?.close()
    await wire?.close()
  })

  /** Returns the user's messages in the page's session, as stored on the server. */
  const said = async (page: Page): Promise<string[]> => {
    const id = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('s')
    const response = await workspace.server().fetch(`/ai/sessions/${id}/messages?limit=100`)
    const { messages } = (await response.json()) as { messages: { role: string; parts: { text?: string }[] }[] }
    return messages.flatMap(({ role, parts }) => (role === 'user' ? parts.map(({ text = '' }) => text).join('') : []))
  }

  test('Enter queues during a run: messages are edited, sorted and removed with keys, survive a reload, and are sent in order, once', async () => {
    const page = await workspace.sharedPage()
    const { queue, items, texts, running, ...chat } = composer(page)
    await chat.send('Ask me for approval')
    await page.getByRole('button', { name: 'Allow once' }).waitFor()
    for (const text of ['Repeat after me: one', 'Repeat after me: two', 'Repeat after me: never']) {
      await running.fill(text)
      await running.press('Enter')
    }
    await queue.getByText('3 queued').waitFor()
    await items.nth(2).press('Delete')
    await expect.poll(texts, soon).toEqual(['Repeat after me: one', 'Repeat after me: two'])
    await items.nth(1).press('Alt+ArrowUp')
    await expect.poll(texts, soon).toEqual(['Repeat after me: two', 'Repeat after me: one'])
    await items.nth(1).press('Enter')
    await page.getByRole('textbox', { name: 'Queued message' }).fill('Repeat after me: three')
    await page.keyboard.press('Enter')
    await expect.poll(texts, soon).toEqual(['Repeat after me: two', 'Repeat after me: three'])
    // A second tab sees the same run and queue, and sends nothing twice.
    const other = composer(await page.context().newPage())
    await other.page.goto(page.url())
    await other.items.nth(1).waitFor()
    await expect.poll(other.texts, soon).toEqual(['Repeat after me: two', 'Repeat after me: three'])
    await page.reload()
    await page.getByRole('button', { name: 'Allow once' }).waitFor()
    expect(await said(page)).toHaveLength(1)
    await page.getByRole('button', { name: 'Allow once' }).click()
    // Either tab may send the next message; this one sees it end.
    await chat.lastAnswer.getByText('three', { exact: true }).waitFor()
    await chat.finished()
    expect(await said(page)).toEqual(['Ask me for approval', 'Repeat after me: two', 'Repeat after me: three'])
    await expect.poll(() => chat.lastAnswer.locator('.prose').innerText()).toBe('three')
    await expect.poll(() => queue.count(), soon).toBe(0)
    await other.lastAnswer.getByText('three', { exact: true }).waitFor()
    await expect.poll(() => other.queue.count(), soon).toBe(0)
  })

  test('a stop pauses the queue until the user sends it; a modifier steers the running answer', async () => {
    const page = await workspace.sharedPage()
    const { queue, running, texts, ...chat } = composer(page)
    await chat.send('Ask me for approval')
    const approve = page.getByRole('button', { name: 'Allow once' })
    await approve.waitFor()
    await running.fill('Repeat after me: later')
    await page.getByText('Ctrl+Enter to send now', { exact: true }).waitFor()
    await running.press('Enter')
    await running.press('Escape')
    await queue.getByText('Paused because the last answer didn’t finish').waitFor()
    await chat.field.waitFor()
    await expect.poll(texts, soon).toEqual(['Repeat after me: later'])
    expect(await said(page)).toHaveLength(1)
    await queue.getByRole('button', { name: 'Send next' }).click()
    await chat.lastAnswer.getByText('later').waitFor()
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.locator('.prose').innerText()).toBe('later')
    await chat.send('Ask me for approval')
    await approve.waitFor()
    await running.fill('Repeat after me: heard')
    await running.press('Control+Enter')
    await page.locator('.steering-pending').waitFor()
    await approve.click()
    await chat.lastAnswer.locator('.steering').getByText('heard').waitFor()
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.locator('.prose').last().innerText()).toBe('heard')
    await expect.poll(() => page.locator('.steering-pending').count()).toBe(0)
    expect(await said(page)).toHaveLength(3)
  })

  test('drafts with their files are kept per chat; a long text becomes a file; arrow up restores earlier messages', async () => {
    const page = await workspace.sharedPage()
    const { chips, paste, ...chat } = composer(page)
    const texts = ['first words', 'Yes.', 'second words', 'No.']
    await showChat(page, await storeChat(workspace.server(), { title: 'Words', texts }))
    await chat.field.press('ArrowUp')
    await expect.poll(() => chat.field.inputValue(), soon).toBe('second words')
    await chat.field.press('ArrowUp')
    await expect.poll(() => chat.field.inputValue(), soon).toBe('first words')
    await chat.field.press('ArrowDown')
    await chat.field.press('ArrowDown')
    await expect.poll(() => chat.field.inputValue(), soon).toBe('')
    await paste('a line of a long text\n'.repeat(500))
    await chips.getByText('Pasted text.txt').waitFor()
    await page.getByText('Pasted text (11 KB) attached as a file.').waitFor()
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.from('') },
      { name: 'notes.md', mimeType: '', buffer: Buffer.from('# The sea') },
    ])
    await page.getByText('“empty.txt” is empty.').waitFor()
    await chips.getByText('notes.md').waitFor()
    await chat.field.fill('half a thought')
    await page.waitForFunction(() => document.querySelector('.chip progress') === null)
    await chat.newSession()
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    await expect.poll(() => chat.field.inputValue(), soon).toBe('')
    await expect.poll(() => chips.count(), soon).toBe(0)
    await page.goBack()
    await chips.getByText('notes.md').waitFor()
    await page.reload()
    await expect.poll(() => chips.allInnerTexts(), soon).toEqual(['Pasted text.txt', 'notes.md'])
    await expect.poll(() => chat.field.inputValue(), soon).toBe('half a thought')
    await page.getByRole('button', { name: 'Remove notes.md' }).click()
    await expect.poll(() => chips.count(), soon).toBe(1)
  })

  test.runIf(full)('model settings are built from the model’s list, kept with the chat, sent, reset', async () => {
    // New chats use the model chosen last, so this is not the shared page.
    const page = await workspace.open({ viewport: { width: 390, height: 780 } })
    const chat = composer(page)
    const trigger = page.getByRole('button', { name: /^Model settings/ })
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('option', { name: /large-1/ }).click()
    await trigger.click()
    const panel = page.getByRole('dialog', { name: 'large-1 settings' })
    await panel.getByRole('spinbutton', { name: 'Temperature' }).fill('0.3')
    await panel.getByRole('spinbutton', { name: 'Seed' }).fill('7')
    await panel.getByRole('textbox', { name: 'Stop sequences' }).fill('END')
    await panel.getByRole('spinbutton', { name: 'Seed' }).press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Model settings, 3 set' }).waitFor()
    wire.play({ turn: { text: 'calm' } }, { turn: { text: 'wild' } })
    await chat.ask('hello')
    expect(wire.requests.at(-1)?.body).toMatchObject({ temperature: 0.3, seed: 7, stop: ['END'] })
    await page.reload()
    await page.getByRole('button', { name: 'Model settings, 3 set' }).click()
    await panel.getByRole('button', { name: 'Reset Seed' }).click()
    await panel.getByRole('slider', { name: 'Temperature' }).press('ArrowRight')
    await expect.poll(() => panel.getByRole('spinbutton', { name: 'Temperature' }).inputValue(), soon).toBe('0.4')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Model settings, 2 set' }).waitFor()
    await chat.ask('again')
    expect(wire.requests.at(-1)?.body).toMatchObject({ temperature: 0.4, stop: ['END'] })
    expect(wire.requests.at(-1)?.body).not.toHaveProperty('seed')
    await trigger.click()
    await panel.getByRole('button', { name: 'Reset all' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Model settings', exact: true }).waitFor()
    const { sessions } = (await (await workspace.server().fetch('/ai/sessions')).json()) as { sessions: object[] }
    await expect.poll(() => sessions[0], soon).not.toHaveProperty('params.temperature')
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })

  // composer.test.tsx shows each reason in every run.
  test.runIf(full)('shows why nothing can be sent, and a button to fix it', async () => {
    const setEnabled = (enabled: boolean) =>
      workspace.server().fetch('/ai/providers/acme', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ enabled }),
      })
    await setEnabled(true)
    const page = await workspace.open()
    const chat = composer(page)
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('option', { name: /large-1/ }).click()
    wire.play({ turn: { text: 'here' } })
    await chat.ask('hello')
    await setEnabled(false)
    await page.reload()
    await page.getByText('This chat uses acme/large-1, which is no longer available. acme is turned off.').waitFor()
    await chat.field.fill('Repeat after me: more')
    await expect.poll(() => page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Use Demo tour' }).click()
    await page.getByText('which is no longer available').waitFor({ state: 'hidden' })
    await chat.field.press('Enter')
    await chat.finished()
  })

  test.runIf(full)(
    'text of an answer is quoted with a key; the debug panel shows hooks and the live stream',
    async () => {
      const page = await workspace.sharedPage({ width: 1440, height: 800 })
      const chat = composer(page)
      const answer = await chat.ask('Repeat after me: quote this line')
      await answer.locator('.prose p').evaluate((paragraph) => window.getSelection()?.selectAllChildren(paragraph))
      await page.keyboard.press('Alt+q')
      await expect.poll(() => chat.field.inputValue(), soon).toBe('> quote this line\n\n')
      await page.keyboard.type('why?')
      await expect.poll(() => chat.field.inputValue(), soon).toBe('> quote this line\n\nwhy?')
      await page.keyboard.press('Control+Shift+L')
      const stream = page.getByRole('list', { name: 'Stream' })
      await stream.getByText('finish', { exact: true }).first().waitFor()
      await page.getByRole('textbox', { name: 'Filter chunks' }).fill('text-delta')
      await expect.poll(() => stream.getByText('finish', { exact: true }).count(), soon).toBe(0)
      await expect.poll(() => stream.getByText('text-delta').count()).toBeGreaterThan(0)
      await page.getByText('useChatState()').click()
      await page.getByText('"status": "ready"').waitFor()
      await page.getByText('useChatSession()').click()
      await page.getByText('"siblingNav"').waitFor()
      await page.getByText('useChatActions()').click()
      await page.getByText('"send": "ƒ').waitFor()
    },
  )

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})
