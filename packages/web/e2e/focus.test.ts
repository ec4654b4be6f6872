import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'
import { showChat, storeChat } from './testing/store-chat.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'the focus (skipped: no Chromium)' : 'the focus'

const approval = (message: string) => ({ call: { name: 'TestApproval', input: { message } } })
const question = { question: 'Which one?', header: 'One', options: [{ label: 'Left' }, { label: 'Right' }] }
const tree = {
  root: 'card',
  elements: {
    card: { type: 'Card', props: { title: 'Book' }, children: ['who', 'ok'] },
    who: { type: 'TextField', props: { name: 'who', label: 'Who', required: true } },
    ok: { type: 'Button', props: { label: 'Book it', action: 'submit' } },
  },
}
const scripts: Record<string, ScriptTurn> = {
  approval: [approval('May I?')],
  two: [approval('May the first?'), approval('May the second?')],
  question: [{ call: { name: 'AskUserQuestion', input: { questions: [question] } } }],
  form: [{ call: { name: 'JsonRender', input: { title: 'A trip', tree } } }],
  stopped: [{ text: 'Not to the end ' }, { gate: 'never' }],
}
/** Prompts that start with `slow` wait at the gate of their name. An opened gate stays open. */
const scriptOf = (text: string): ScriptTurn | undefined =>
  text.startsWith('slow') ? [{ text: 'It takes ' }, { gate: text }, { text: 'long.' }] : scripts[text]

describe.skipIf(chromium === undefined || !full)(name, () => {
  const sent: unknown[] = []
  const model = scriptedModel(
    (prompt) => {
      sent.push(prompt)
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const said = prompt[last]?.content.at(-1) as { text: string } | undefined
      return (last === prompt.length - 1 ? scriptOf(said?.text ?? '') : undefined) ?? [{ text: 'That is all.' }]
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  let page: Page
  let chat: ReturnType<typeof chatPage>
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'a.txt': 'one\n' },
      home: { 'config.json': JSON.stringify({ model: 'test/script' }) },
    })
  })
  beforeEach(async () => {
    page = await workspace.sharedPage()
    chat = chatPage(page)
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  const nav = () => page.getByRole('navigation', { name: 'Chats' })
  const newSession = async () => {
    await page.keyboard.press('Control+Shift+O')
    await page.getByRole('heading', { name: 'What are we working on?' }).waitFor()
    await expect.poll(() => focused(page)).toBe('textarea Message')
  }
  const say = async (text: string) => {
    await page.keyboard.insertText(text)
    await page.keyboard.press('Enter')
  }
  const rests = async (where: RegExp | string, on = page) => {
    await expect.poll(() => focused(on), { timeout: 10_000 }).toEqual(expect.stringMatching(where))
  }
  const typeInPalette = async (words: string) => {
    await page.keyboard.press('Control+k')
    await rests(/^input Chats, messages/)
    await page.keyboard.insertText(words)
  }
  const openMenu = async (title: string) => {
    await nav()
      .getByRole('button', { name: `Options for ${title}` })
      .press('Enter')
    await page.getByRole('menu').waitFor()
  }
  /** Leaves only these chats, the last of them newest and open. */
  const setSessions = async (...titles: string[]) => {
    const { fetch } = workspace.server()
    for (const list of ['sessions', 'sessions?view=archived', 'sessions?view=trashed', 'folders']) {
      const [kind] = list.split('?') as ['sessions' | 'folders']
      const all = (await (await fetch(`/ai/${list}`)).json()) as { [of in typeof kind]: { id: string }[] }
      for (const { id } of all[kind]) await fetch(`/ai/${kind}/${id}`, { method: 'DELETE' })
    }
    let last = ''
    for (const title of titles) last = await storeChat(workspace.server(), { title, texts: [title, 'That is all.'] })
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect.poll(() => nav().locator('.session-title').allTextContents()).toEqual(titles.toReversed())
    await showChat(page, last)
    await rests(/^textarea Message$/)
  }
  const choose = (item: string) => page.getByRole('menuitem', { name: item, exact: true }).press('Enter')

  test('an answer to an ask hands it on to the next ask, then to the message', async () => {
    await newSession()
    await say('two')
    await page.getByRole('button', { name: 'Allow once', exact: true }).nth(1).waitFor()
    await page.getByRole('button', { name: 'Allow once', exact: true }).first().press('Enter')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('.tool-with-approval')?.textContent))
      .toContain('May the second?')
    await rests(/^fieldset/)
    await page.getByRole('button', { name: 'Deny', exact: true }).press('Enter')
    await chat.finished()
    await rests(/^textarea Message$/)
    await newSession()
    await say('question')
    await page.getByRole('radio', { name: 'Left' }).press('Space')
    await page.keyboard.press('Enter')
    await chat.finished()
    expect(JSON.stringify(sent.at(-1))).toContain('→ Left')
    await rests(/^textarea Message$/)
    await newSession()
    await say('form')
    await page.getByRole('textbox', { name: 'Who' }).fill('Everybody')
    await page.getByRole('button', { name: 'Book it' }).press('Enter')
    await chat.finished()
    await rests(/^textarea Message$/)
    expect(workspace.complaints).toEqual([])
  })

  test('editing, branches, another answer and going on leave it in the conversation', async () => {
    const texts = ['hello', 'First answer.', 'below', 'Second answer.']
    await showChat(page, await storeChat(workspace.server(), { title: 'hello', texts }))
    const said = () => chat.lastAnswer.locator('.prose').innerText()
    await chat.own.first().getByRole('button', { name: 'Edit' }).press('Enter')
    await page.keyboard.press('Escape')
    await rests('button Edit')
    await page.keyboard.press('Enter')
    await page.keyboard.type(' again')
    await page.keyboard.press('Enter')
    await chat.own.getByText('hello again').waitFor()
    await chat.finished()
    await chat.own.first().getByText('2 / 2').waitFor()
    await expect.poll(() => chat.own.count()).toBe(1)
    await expect.poll(said).toBe('That is all.')
    await rests(/^textarea Message$/)
    await page.getByRole('button', { name: 'Previous branch' }).press('Enter')
    await chat.own.getByText('hello', { exact: true }).waitFor()
    await chat.own.first().getByText('1 / 2').waitFor()
    await expect.poll(() => chat.own.count()).toBe(2)
    await expect.poll(said).toBe('Second answer.')
    await rests('button Next branch')
    await page.keyboard.press('Enter')
    await chat.own.getByText('hello again').waitFor()
    await chat.own.first().getByText('2 / 2').waitFor()
    await expect.poll(said).toBe('That is all.')
    await rests('button Previous branch')
    await chat.lastAnswer.getByRole('button', { name: 'Regenerate', exact: true }).press('Enter')
    await chat.lastAnswer.getByText('2 / 2').waitFor()
    await chat.finished()
    await expect.poll(() => chat.answers.count()).toBe(1)
    await rests(/^textarea Message$/)
    await chat.lastAnswer.getByRole('button', { name: 'Previous branch' }).press('Enter')
    await chat.lastAnswer.getByText('1 / 2').waitFor()
    await chat.field.focus()
    await say('stopped')
    await page.getByText('Not to the end').waitFor()
    await chat.stopButton.press('Enter')
    const goOn = page.getByRole('button', { name: 'Continue' })
    await goOn.waitFor()
    await rests(/^textarea Message$/)
    await goOn.press('Enter')
    await goOn.waitFor({ state: 'detached' })
    await chat.finished()
    await rests(/^textarea Message$/)
    expect(workspace.complaints).toEqual([])
  })

  test('discarding the queue, and an example of the empty chat, move focus to the message box', async () => {
    await newSession()
    const slow = `slow ${Date.now()}`
    await say(slow)
    await page.getByText('It takes').waitFor()
    const before = await chat.stopButton.boundingBox()
    await page.keyboard.type('one more')
    expect(await chat.stopButton.boundingBox()).toEqual(before)
    expect(await page.getByRole('textbox', { name: 'Follow-up message' }).evaluate(descriptionOf)).toBe(
      'Press Enter to queue, Ctrl+Enter to send to the running answer, Escape to stop it.',
    )
    await page.keyboard.press('Enter')
    await say('and another')
    await page.getByRole('button', { name: 'Discard all' }).press('Enter')
    await rests('textarea Follow-up message')
    model.open(slow)
    await chat.finished()
    await newSession()
    await page.getByRole('button', { name: /^Model:/ }).press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).fill('tour')
    await page.keyboard.press('Enter')
    await page.locator('.example').first().press('Enter')
    await chat.own.waitFor()
    await rests(/^textarea Message/)
    // The choice of a model is kept for new chats.
    await page.evaluate(() => localStorage.removeItem('troupe.model'))
    expect(workspace.complaints).toEqual([])
  })

  test('a removed chat passes the focus to its neighbor, and an undo returns it', async () => {
    await setSessions('alder', 'birch', 'cedar', 'dogwood', 'elm', 'fir')
    // Newest first: fir, elm, dogwood, cedar, birch, alder.
    await openMenu('elm')
    await choose('Archive')
    await rests('button dogwood')
    await nav().getByRole('button', { name: 'dogwood', exact: true }).press('Delete')
    await rests('button cedar')
    await openMenu('cedar')
    await choose('Delete')
    await rests('button birch')
    // The notice appears after the server's response. Earlier notices are still shown.
    await page.locator('.notice', { hasText: 'cedar' }).getByRole('button', { name: 'Undo' }).press('Enter')
    await nav().getByRole('button', { name: 'cedar', exact: true }).waitFor()
    await rests(/^button (birch|cedar)/)
    await nav().getByRole('button', { name: 'New folder' }).press('Enter')
    await page.keyboard.type('woods')
    await page.keyboard.press('Enter')
    await nav()
      .getByRole('button', { name: /^woods/ })
      .waitFor()
    await openMenu('birch')
    await page.getByRole('menuitem', { name: 'Move to folder' }).press('Enter')
    await choose('woods')
    await rests(/^button (alder|birch)/)
    await nav().getByRole('button', { name: 'Archive, trash, import' }).press('Enter')
    await choose('Trash')
    await nav().getByRole('button', { name: 'dogwood', exact: true }).waitFor()
    await rests(/^button Back/)
    await page.keyboard.press('Enter')
    await rests('button Archive, trash, import')
    expect(workspace.complaints).toEqual([])
  })

  test('shortcuts do not act behind a dialog; announced ones work', async () => {
    await setSessions('fir')
    await newSession()
    await say('approval')
    const approve = page.getByRole('button', { name: 'Allow once', exact: true })
    await approve.waitFor()
    // Typing blocks the approval shortcut; tabbing backward still works.
    await page.keyboard.press('Alt+y')
    const back: string[] = []
    while (back.length < 40 && back.at(-1)?.startsWith('button Context') !== true) {
      await page.keyboard.press('Shift+Tab')
      back.push(await focused(page))
    }
    expect(back).toContain('button Deny')
    expect(back.at(-1)).toMatch(/^button Context/)
    await expect.poll(() => approve.count()).toBe(1)
    await expect.poll(() => page.getByRole('button', { name: 'Mode: Default' }).count()).toBe(1)
    await page.keyboard.press('Enter')
    const xray = page.getByRole('dialog', { name: 'Context' })
    await xray.waitFor()
    for (const keys of ['Control+Shift+L', 'Control+b', 'Control+Shift+F', 'Alt+ArrowDown', 'Alt+m', 'Alt+y', '/'])
      await page.keyboard.press(keys)
    await page.keyboard.press('Escape')
    await xray.waitFor({ state: 'detached' })
    await rests(/^button Context/)
    await expect.poll(() => page.getByRole('complementary', { name: 'Panels' }).count()).toBe(0)
    await expect.poll(() => nav().isVisible()).toBe(true)
    await expect.poll(() => approve.count()).toBe(1)
    await page.keyboard.press('Alt+m')
    await page.getByRole('button', { name: 'Mode: Accept edits' }).waitFor()
    await page.locator('.notice').getByText('Mode: Accept edits.').waitFor()
    await page.keyboard.press('Alt+y')
    await chat.finished()
    await expect.poll(() => page.getByRole('group', { name: 'TestApproval: done' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Context' }).focus()
    await page.keyboard.press('/')
    await rests(/^textarea Message$/)
    await page.keyboard.press('Control+b')
    await nav().waitFor({ state: 'hidden' })
    await page.keyboard.press('Control+b')
    await nav().waitFor()
    await page.keyboard.press('Alt+ArrowDown')
    await chat.own.getByText('fir', { exact: true }).waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await chat.own.getByText('approval', { exact: true }).waitFor()
    await rests(/^textarea Message$/)
    expect(workspace.complaints).toEqual([])
  })

  test('results are browsed and opened with the arrow keys, and a panel takes the focus only on request', async () => {
    await setSessions('fir needle', 'fir cone', 'yew')
    await page.keyboard.press('Control+Shift+L')
    await rests('aside Panels')
    await page.keyboard.press('Control+Shift+F')
    await page.keyboard.type('fir')
    await page.locator('.hit').nth(1).waitFor()
    const second = await page.locator('.hit-title').nth(1).textContent()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await rests(new RegExp(`^button ${second}`))
    await page.keyboard.press('Enter')
    await chat.own.getByText(second ?? '', { exact: true }).waitFor()
    await rests(/^textarea Message$/)
    await typeInPalette('yew')
    await page.getByRole('group', { name: 'Chats' }).getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Panels' }).waitFor()
    await rests(/^textarea Message$/)
    await page.keyboard.press('Control+Shift+F')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('dialog', { name: 'Panels' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Panels' }).waitFor({ state: 'detached' })
    await rests(/^textarea Message$/)
    await expect.poll(() => page.getByRole('tooltip').count()).toBe(0)
    expect(workspace.complaints).toEqual([])
  })

  test('the palette switches and renames; an unsaved form is not discarded without asking', async () => {
    await setSessions('pine')
    await typeInPalette('switch mode')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Mode: Plan' }).waitFor()
    await page.keyboard.type('plan')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Mode: Plan' }).waitFor()
    await typeInPalette('rename')
    await page.keyboard.press('Enter')
    await rests('input Chat title')
    await page.keyboard.type('Named anew')
    await page.keyboard.press('Enter')
    await nav().getByRole('button', { name: 'Named anew', exact: true }).waitFor()
    await typeInPalette('agents')
    await page
      .getByRole('group', { name: 'Settings' })
      .getByRole('option', { name: /^Agents/ })
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate(() => void (window.location.hash += '&settings/agents'))
    const settings = page.getByRole('dialog', { name: /^Settings/ })
    await settings.getByRole('button', { name: 'New agent' }).press('Enter')
    await settings.getByRole('textbox', { name: 'Name' }).fill('reviewer')
    await page.keyboard.press('Escape')
    const asked = page.getByRole('dialog', { name: 'Discard your changes?' })
    await asked.waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Discard your changes?').waitFor({ state: 'detached' })
    await expect.poll(() => settings.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('reviewer')
    await page.keyboard.press('Escape')
    await asked.getByRole('button', { name: 'Discard' }).press('Enter')
    await settings.waitFor({ state: 'detached' })
    expect(await focused(page)).not.toMatch(/^body/)
    expect(workspace.complaints).toEqual([])
  })

  test('a moved focus stays there, and touch opens no keyboard', async () => {
    await setSessions('oak')
    const id = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('s')
    const row = nav().locator('.session-open[aria-current=page]')
    await row.focus()
    await page.locator('.header').click({ position: { x: 500, y: 28 } })
    expect(await focused(page)).toBe('body ')
    const patch = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"archived":true}' }
    expect((await workspace.server().fetch(`/ai/sessions/${id}`, patch)).status).toBe(200)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await row.waitFor({ state: 'detached' })
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    expect(await focused(page)).toBe('body ')

    const phone = await workspace.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    const { field, finished } = chatPage(phone)
    await field.fill('approval')
    await phone.getByRole('button', { name: 'Send' }).tap()
    await phone.getByRole('button', { name: 'Allow once', exact: true }).tap()
    await finished()
    await rests('div Conversation', phone)
    expect(workspace.complaints).toEqual([])
  })
})

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document
    const label = element?.getAttribute('aria-label') ?? element?.getAttribute('title') ?? ''
    const text = element === document.body ? '' : (element?.textContent ?? '')
    return `${element?.localName} ${label === '' ? text.slice(0, 60) : label}`
  })
}

function descriptionOf(field: Element): string | null | undefined {
  return document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent
}
