import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'the inbox (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'the inbox'

const question = {
  question: 'Which database shall it be?',
  header: 'Database',
  options: [{ label: 'SQLite' }, { label: 'Postgres' }],
}
const approval = (message: string): ScriptTurn => [{ call: { name: 'TestApproval', input: { message } } }]
const make = (file: string): ScriptTurn => [{ call: { name: 'Bash', input: { command: `touch ${file}` } } }]
const scripts: Record<string, ScriptTurn> = {
  first: approval('May the first?'),
  second: approval('May the second?'),
  third: approval('May the third?'),
  'make one': make('one.txt'),
  'make it again': make('one.txt'),
  question: [{ call: { name: 'AskUserQuestion', input: { questions: [question] } } }],
  delegate: [{ call: { name: 'Task', input: { name: 'test-approval', task: 'below' } } }],
  below: approval('May one who works below?'),
}

/** Simulates a browser with notification permission and a hidden page, and records the notifications. */
const toldInstead = `
window.told = []
window.Notification = class extends EventTarget {
  static permission = 'default'
  static requestPermission() { this.permission = 'granted'; return Promise.resolve('granted') }
  constructor(title, options) { super(); window.told.push({ title, tag: options.tag, click: () => this.dispatchEvent(new Event('click')) }) }
  close() {}
}
document.hasFocus = () => false`

describe.skipIf(chromium === undefined)(name, () => {
  const sent: unknown[] = []
  const model = scriptedModel(
    (prompt) => {
      sent.push(prompt)
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const said = prompt[last]?.content.at(-1) as { text: string } | undefined
      return (last === prompt.length - 1 ? scripts[said?.text ?? ''] : undefined) ?? [{ text: 'That is all.' }]
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'read-me.txt': 'hello\n' },
      home: {
        'config.json': JSON.stringify({ model: 'test/script' }),
        'agents/test-approval.md': '---\ndescription: Asks.\ntools: [TestApproval]\n---\n\nYou ask.',
      },
    })
  })
  afterEach(async (context) => {
    await workspace.closePages(context)
    for (const { sessionId } of await openAsks()) await post(`/ai/chat/${sessionId}/stop`, {})
  })
  afterAll(() => workspace?.close())

  const inbox = (page: Page) => page.getByRole('dialog', { name: 'Needs your attention' })
  const badge = (page: Page, count: number) => chatPage(page).waiting(count)
  const post = (path: string, body: unknown) =>
    workspace.server().fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const openAsks = async () => {
    const response = await workspace.server().fetch('/ai/asks')
    return ((await response.json()) as { asks: { id: string; sessionId: string }[] }).asks
  }
  const look = async (): Promise<Page> => {
    const page = await workspace.sharedPage()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    return page
  }
  const say = async (text: string): Promise<string> => {
    const sessionId = `s_${crypto.randomUUID().replaceAll('-', '')}`
    const message = { id: `u_${sessionId.slice(2)}`, role: 'user', parts: [{ type: 'text', text }] }
    const response = await post('/ai/chat', { sessionId, message })
    await response.text()
    return sessionId
  }

  test('asks of several chats are answered in one place, with only the keyboard', async () => {
    await say('first')
    await say('second')
    const page = await look()
    await badge(page, 2)
    await expect.poll(() => page.getByRole('button', { name: /, needs your attention$/ }).count()).toBe(2)
    await page.keyboard.press('Control+i')
    await inbox(page).waitFor()
    const asks = inbox(page).getByRole('article')
    await expect.poll(() => asks.count()).toBe(2)
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await expect.poll(focused).toContain('May the first?')
    await asks.first().getByRole('button', { name: 'Allow once' }).focus()
    await page.keyboard.press('Enter')
    await asks.nth(1).waitFor({ state: 'detached' })
    // The focused element is gone; the focus moved to the one that replaced it.
    await expect.poll(focused).toContain('May the second?')
    await inbox(page).getByRole('button', { name: 'Deny with a note' }).press('Enter')
    await page.keyboard.type('not today')
    await page.keyboard.press('Enter')
    await inbox(page).getByText('You’re all caught up.').waitFor()
    await expect.poll(focused).toBe('You’re all caught up.')
    await page.keyboard.press('Escape')
    await inbox(page).waitFor({ state: 'detached' })
    await badge(page, 0)
    expect(await page.getByRole('button', { name: /needs? your attention$/ }).count()).toBe(0)
    await expect.poll(openAsks).toEqual([])
    await expect.poll(() => JSON.stringify(sent.at(-1))).toContain('not today')
  })

  test('a remembered answer also answers other asks, including those in another tab', async () => {
    // Rules remembered by an earlier attempt would answer the asks.
    const { fetch } = workspace.server()
    const { rules } = (await (await fetch('/ai/rules')).json()) as { rules: { id: string }[] }
    for (const { id } of rules) await fetch(`/ai/rules/${id}`, { method: 'DELETE' })
    const first = await say('make one')
    await say('make it again')
    const page = await look()
    const other = await page.context().newPage()
    await other.goto(new URL(`/#s=${first}`, page.url()).href)
    await badge(other, 2)
    // The ask of the chat in view is not counted again.
    await other.getByRole('button', { name: '1 needs your attention' }).waitFor()
    await badge(page, 2)
    await page.getByRole('button', { name: '2 need your attention' }).click()
    const ask = inbox(page).getByRole('article').first()
    await ask.getByRole('button', { name: 'Allow for longer' }).click()
    await page.getByRole('menuitem', { name: 'Allow for this folder' }).click()
    await inbox(page).getByText('You’re all caught up.').waitFor()
    await badge(other, 0)
    await expect.poll(openAsks).toEqual([])
  })

  test.runIf(full)('an input is edited before it is approved, and an invalid one keeps the ask open', async () => {
    await say('first')
    const page = await look()
    await badge(page, 1)
    await page.keyboard.press('Control+i')
    await inbox(page).getByRole('button', { name: 'Edit' }).click()
    await inbox(page).getByRole('button', { name: 'Show as JSON' }).click()
    const input = inbox(page).getByRole('textbox', { name: 'Tool call input (JSON)' })
    await input.fill('{"message": 7}')
    await inbox(page).getByRole('button', { name: 'Allow with edits' }).click()
    await page
      .getByText(/message/)
      .last()
      .waitFor()
    await expect.poll(openAsks).toHaveLength(1)
    await input.fill('{"message": "May it, as edited?"}')
    await inbox(page).getByRole('button', { name: 'Allow with edits' }).click()
    await inbox(page).getByText('You’re all caught up.').waitFor()
    await expect.poll(() => JSON.stringify(sent.at(-1))).toContain('as edited?')
  })

  test.runIf(full)('a question is a form here, too, and its chat is one click away', async () => {
    const asking = await say('question')
    const page = await look()
    await badge(page, 1)
    await page.keyboard.press('Control+i')
    await inbox(page).getByRole('radio', { name: 'Postgres' }).check()
    await inbox(page).getByRole('button', { name: 'Go to chat: question' }).click()
    await inbox(page).waitFor({ state: 'detached' })
    expect(page.url()).toContain(asking)
    // A choice made in the inbox also appears in the chat.
    await expect.poll(() => page.getByRole('radio', { name: 'Postgres' }).isChecked()).toBe(true)
    await page.keyboard.press('Control+i')
    await inbox(page).getByRole('button', { name: 'Answer', exact: true }).click()
    await inbox(page).getByText('You’re all caught up.').waitFor()
    await expect.poll(() => JSON.stringify(sent.at(-1))).toContain('→ Postgres')
  })

  test('a double click answers one ask, not the one that moves into its place', async () => {
    await say('first')
    await say('second')
    const page = await look()
    await badge(page, 2)
    await page.getByRole('button', { name: '2 need your attention' }).click()
    const approve = inbox(page).getByRole('button', { name: 'Allow once' }).first()
    // The second click comes at the moment the list changes.
    const hit = await approve.evaluate(
      (button) =>
        new Promise<string | undefined>((resolve) => {
          const { x, y } = button.getBoundingClientRect()
          const clickThere = () => {
            const under = document.elementFromPoint(x + 20, y + 12)
            under?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }))
            return under?.textContent
          }
          const list = document.querySelector('.inbox-body') as Element
          const observer = new MutationObserver(() => {
            if (list.querySelectorAll('article').length > 1) return
            observer.disconnect()
            resolve(clickThere())
          })
          observer.observe(list, { childList: true, subtree: true })
          clickThere()
        }),
    )
    expect(hit).toBe('Allow once')
    await badge(page, 1)
    await expect.poll(openAsks).toHaveLength(1)
    // After enough time to read it, it can be answered normally.
    await expect
      .poll(async () => {
        await approve.click({ timeout: 500 }).catch(() => undefined)
        return openAsks()
      })
      .toEqual([])
  })

  test.runIf(full)('a sub-agent is named, and answered above the message', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('delegate')
    await badge(chat.page, 1)
    await chat.page.getByText('test-approval asks: May one who works below?').waitFor()
    await chat.page.keyboard.press('Control+i')
    await expect.poll(() => inbox(chat.page).locator('.inbox-agent').innerText()).toBe('test-approval')
    await chat.page.keyboard.press('Escape')
    await chat.page.locator('dialog').waitFor({ state: 'detached' })
    await chat.page.getByRole('button', { name: 'Allow once', exact: true }).click()
    await chat.finished()
  })

  test.runIf(full)('on a phone, the inbox fills the screen, and nothing overflows', async () => {
    await say('first')
    await say('question')
    const page = await workspace.open({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
    })
    await page.getByRole('button', { name: 'Show chats (2 need your attention)' }).waitFor()
    await page.getByRole('button', { name: 'Chat options' }).tap()
    await page.getByRole('menuitem', { name: 'Needs your attention' }).tap()
    await inbox(page).getByRole('article').first().waitFor()
    const place = async () => {
      const box = await inbox(page).boundingBox()
      return [box?.x, box?.width, box?.height]
    }
    await expect.poll(place).toEqual([0, 390, 844])
    const wide = await page.evaluate(() => {
      const body = document.querySelector('.inbox-body')
      return [...(body?.querySelectorAll('*') ?? [])]
        .filter((element) => element.getBoundingClientRect().right > 391 && element.closest('pre, code') === null)
        .map((element) => element.className)
    })
    expect(wide).toEqual([])
    await inbox(page).getByRole('button', { name: 'Deny', exact: true }).first().tap()
    await inbox(page).getByRole('button', { name: 'Close' }).tap()
    await inbox(page).waitFor({ state: 'detached' })
  })

  // notifications.test.ts does this in every run, and offline.test.ts shows real notifications.
  test.runIf(full)(
    'the browser notifies about asks after the user allowed it with a click, and opens the inbox',
    async () => {
      const page = await workspace.newPage()
      await page.addInitScript(toldInstead)
      await page.goto(workspace.server().newUrl())
      const chat = chatPage(page)
      const told = () =>
        page.evaluate(() => (window as never as { told: { title: string }[] }).told.map(({ title }) => title))
      await chat.send('first')
      await badge(page, 1)
      expect(await told()).toEqual([])
      await page.keyboard.press('Control+i')
      await inbox(page).getByRole('button', { name: 'Notify me' }).click()
      await inbox(page).getByRole('button', { name: 'Notifications are on', pressed: true }).waitFor()
      await page.keyboard.press('Escape')
      await chat.newSession()
      await chat.send('second')
      await badge(page, 2)
      await expect.poll(told).toEqual(['May the second?'])
      await page.evaluate(() => (window as never as { told: { click: () => void }[] }).told[0]?.click())
      await inbox(page).getByRole('article').nth(1).waitFor()
    },
  )

  test.runIf(full)('an ask that was answered elsewhere disappears', async () => {
    const page = await workspace.sharedPage()
    const sessionId = await say('third')
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await badge(page, 1)
    await page.getByRole('button', { name: '1 needs your attention' }).click()
    const [ask] = await openAsks()
    expect(ask?.sessionId).toBe(sessionId)
    await post(`/ai/asks/${ask?.id}`, { answer: { type: 'deny' } })
    await inbox(page).getByText('You’re all caught up.').waitFor()
  })

  test('there were no errors', () => {
    // In full, an invalid input is rejected once.
    expect(workspace.complaints).toEqual(full ? [expect.stringContaining('422')] : [])
  })
})
