import { scriptedModel } from '@troupe/core/testing'
import type { ScriptedModel, ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'sub-agents (skipped: no Chromium)' : 'sub-agents'

const task = (agent: string, text: string, more: object = {}): ScriptTurn[number] => ({
  call: { name: 'Task', input: { name: agent, task: text, ...more } },
})
const call = (tool: string, input: object): ScriptTurn => [{ call: { name: tool, input } }]
/** Returns the id of the agent started by a background tool call, as the model received it. */
const idIn = (prompt: unknown) => /Its id is (agent_\w+)/.exec(JSON.stringify(prompt))?.[1] ?? 'nobody'
const steps: ((agentId: string) => ScriptTurn)[] = [
  () => [task('left', 'go left', { background: true })],
  (agentId) => call('SendInput', { agent_id: agentId, message: 'look out' }),
  (agentId) => call('WaitAgent', { agent_ids: [agentId, 'agent_none'] }),
  (agentId) => call('AbortAgent', { agent_id: agentId }),
  () => [{ text: 'All tools were used.' }],
]
/** Keyed by the last user message, with one turn per following step. */
const scripts: Record<string, ScriptTurn[]> = {
  both: [[{ text: 'Two at once.' }, task('left', 'go left'), task('right', 'go right')], [{ text: 'Both are back.' }]],
  'go left': [[{ text: 'On the left.\n\n' }, { gate: 'left' }, { text: 'Left is done.' }]],
  'go right': [
    [{ text: 'On the right.' }, { call: { name: 'Read', input: { file_path: 'read-me.txt' } } }],
    [{ text: 'Reading on.' }, { gate: 'right' }, { text: ' Right is done.' }],
  ],
  nested: [[task('lead', 'lead it')], [{ text: 'It was led.' }]],
  'lead it': [[{ text: 'I delegate.' }, task('test-approval', 'try it')], [{ text: 'It was tried.' }]],
  'try it': [
    [{ text: 'Trying.' }, { call: { name: 'TestApproval', input: { message: 'May one three deep?' } } }],
    [{ text: 'It may.' }],
  ],
  fails: [[task('left', 'fall over')], [{ text: 'It fell.' }]],
  'fall over': [[{ error: { message: 'The left leg broke.', statusCode: 400 }, when: 'before' }]],
  'Please try again.': [[{ text: 'Up again.' }]],
  background: [[task('right', 'go right', { background: true })], [{ text: 'It works on.' }]],
}

describe.skipIf(chromium === undefined || !full)(name, () => {
  let gates: ScriptedModel
  /** Gates stay open, so each test has its own model behind the one the server knows. */
  const newModel = () =>
    scriptedModel(
      (prompt) => {
        const last = prompt.findLastIndex((message) => message.role === 'user')
        const said = prompt[last]?.content.at(-1) as { text: string } | undefined
        const step = prompt.slice(last).filter(({ role }) => role === 'assistant').length
        // Notices about ended agents come in between, so all steps count here.
        const all = prompt.filter(({ role }) => role === 'assistant').length
        if (JSON.stringify(prompt).includes('"use all tools"')) return steps[all]?.(idIn(prompt)) ?? []
        return scripts[said?.text ?? '']?.[step] ?? [{ text: `Heard: ${said?.text.slice(0, 40)}` }]
      },
      { provider: 'test', modelId: 'script' },
    )
  let workspace: TestWorkspace
  beforeAll(async () => {
    const agent = (about: string) => `---\ndescription: ${about}\ngroups: [agent, file-read]\n---\nYou are ${about}.\n`
    gates = newModel()
    workspace = await openWorkspace(chromium ?? '', {
      models: {
        'test/script': new Proxy(gates, { get: (_, key) => Reflect.get(gates, key) as unknown }),
      },
      files: { 'read-me.txt': 'hello\n' },
      home: {
        'config.json': JSON.stringify({ model: 'test/script' }),
        'agents/left.md': agent('left'),
        'agents/test-approval.md': '---\ndescription: Asks.\ntools: [TestApproval]\n---\n\nYou ask.',
        'agents/right.md': agent('right'),
        'agents/lead.md': agent('lead'),
      },
    })
  })
  beforeEach(() => {
    gates = newModel()
  })
  afterEach(async (context) => {
    gates.open('left')
    gates.open('right')
    await workspace.closePages(context)
  })
  afterAll(() => workspace?.close())

  const card = (page: Page, agent: string) =>
    page.getByRole('article', { name: 'Answer' }).getByRole('group', { name: /^Task/ }).filter({ hasText: agent })
  const row = (page: Page, agent: string) => page.getByRole('article', { name: new RegExp(`^${agent}: `) }).first()
  const panel = (page: Page) =>
    page.getByRole('complementary', { name: 'Panels' }).or(page.getByRole('dialog', { name: 'Panels' }))

  test('two run side by side; one is stopped and the other continues', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('both')
    await card(page, 'left').getByText('On the left.').waitFor()
    await card(page, 'right').getByText('Reading on.').waitFor()
    await expect.poll(() => card(page, 'right').innerText()).toMatch(/2 steps/)
    await page.getByRole('button', { name: '2 agents running' }).waitFor()
    await card(page, 'left').getByRole('button', { name: 'Stop left' }).click()
    await page.getByRole('button', { name: '1 agent running' }).waitFor()
    gates.open('right')
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.innerText()).toContain('Both are back.')
    // Collapsed when finished; its result is one click away.
    await expect.poll(() => card(page, 'right').getByText('Right is done.').count()).toBe(0)
    await card(page, 'right').getByRole('button', { name: /right/ }).first().click()
    await card(page, 'right').getByText('Right is done.').waitFor()
    await card(page, 'left').getByRole('button', { name: /left/ }).first().click()
    await expect.poll(() => card(page, 'left').innerText()).toContain('stopped')
    expect(workspace.complaints).toEqual([])
  })

  test('a reload in the middle keeps the tree and the later events', async () => {
    const page = await workspace.sharedPage()
    await chatPage(page).send('both')
    await card(page, 'right').getByText('Reading on.').waitFor()
    await page.reload()
    await card(page, 'right').getByText('Reading on.').waitFor()
    await card(page, 'left').getByText('On the left.').waitFor()
    gates.open('left')
    gates.open('right')
    await chatPage(page).finished()
    await page.reload()
    await chatPage(page).option('2 agents')
    await panel(page).getByRole('article', { name: 'left: done' }).waitFor()
    await panel(page).getByRole('article', { name: 'right: done' }).waitFor()
    await row(page, 'right').waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test('one three levels deep asks, and is answered in its conversation next to the chat', async () => {
    const page = await workspace.sharedPage({ width: 1440, height: 900 })
    const chat = chatPage(page)
    await chat.send('nested')
    await card(page, 'lead').getByRole('button', { name: 'Answer test-approval' }).click()
    await panel(page).getByText('May one three deep?').first().waitFor()
    await expect.poll(() => panel(page).getByRole('heading', { level: 2 }).innerText()).toMatch(/lead.*test-approval/s)
    await expect.poll(() => page.getByRole('main').locator('.composer textarea').isVisible()).toBe(true)
    await panel(page).getByRole('button', { name: 'Allow once' }).click()
    await panel(page).getByText('It may.').waitFor()
    const session = page.getByRole('main')
    await session.getByRole('button', { name: 'Regenerate' }).waitFor()
    await expect.poll(() => session.getByRole('article', { name: 'Answer' }).innerText()).toContain('It was led.')
    await chatPage(page).waiting(0)

    await panel(page).getByRole('button', { name: 'lead', exact: true }).click()
    await panel(page).getByText('It was tried.').waitFor()
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    expect(workspace.complaints).toEqual([])
  })

  test('one gets more input after the run, continues alone, and becomes a chat', async () => {
    const page = await workspace.sharedPage({ width: 390, height: 844 })
    const chat = chatPage(page)
    gates.open('left')
    gates.open('right')
    await chat.ask('both')
    await chatPage(page).option('2 agents')
    await panel(page).getByRole('button', { name: 'Open left’s conversation' }).click()
    await panel(page).getByText('Left is done.').waitFor()
    const field = panel(page).getByRole('textbox', { name: 'Message to left' })
    await field.fill('and back?')
    await field.press('Enter')
    await panel(page).getByText('Heard: and back?').waitFor()
    await panel(page).getByText('done', { exact: true }).waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(
      await panel(page)
        .getByRole('button', { name: /^(Edit|Regenerate)/ })
        .count(),
    ).toBe(0)
    await panel(page).getByRole('button', { name: 'Continue in a new chat' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await chat.answers.getByText('Heard: and back?').waitFor()
    expect(await (await chat.ask('more')).innerText()).toContain('Heard: more')
    expect(workspace.complaints).toEqual([])
  })

  test('input to a running agent waits for its next step', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('both')
    await card(page, 'left').getByText('On the left.').waitFor()
    await card(page, 'left').getByRole('button', { name: 'Open left’s conversation' }).click()
    const field = panel(page).getByRole('textbox', { name: 'Message to left' })
    await field.fill('hurry')
    await field.press('Enter')
    await panel(page).getByText('sends at its next step').waitFor({ state: 'attached' })
    gates.open('left')
    await panel(page).getByText('Heard: hurry').waitFor()
    await panel(page).getByText('sends at its next step').waitFor({ state: 'detached' })
    gates.open('right')
    await panel(page).getByRole('button', { name: 'Close', exact: true }).click()
    await chat.finished()
    expect(workspace.complaints).toEqual([])
  })

  test('a failed one shows the reason and can be retried', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.ask('fails')
    await card(page, 'left').getByRole('button', { name: /left/ }).first().click()
    await card(page, 'left').getByText('The left leg broke.').first().waitFor()
    await chatPage(page).option('1 agent')
    await panel(page).getByRole('button', { name: 'Retry left' }).click()
    await panel(page).getByRole('article', { name: 'left: done' }).waitFor()
    await panel(page).getByRole('button', { name: 'Open left’s conversation' }).click()
    await panel(page).getByText('Up again.').waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test('one in the background stays visible after its call has returned', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('background')
    await page.getByText('It works on.').waitFor()
    await card(page, 'right').getByText('Reading on.').waitFor()
    gates.open('right')
    await chat.finished()
    await page.getByRole('button', { name: '1 agent running' }).waitFor({ state: 'detached' })
    // The model gets a message; the user sees a notice.
    const notice = chat.lastAnswer.getByRole('group', { name: 'right ended: done' })
    await notice.getByRole('button').first().click()
    await notice.getByText('Right is done.').last().waitFor()
    await expect.poll(() => chat.lastAnswer.getByText('You added').count()).toBe(0)
    expect(workspace.complaints).toEqual([])
  })

  test('calls on started agents show their names', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    gates.open('left')
    await chat.send('use all tools')
    await chat.lastAnswer.getByText('All tools were used.').waitFor()
    await chat.finished()
    const tools = chat.lastAnswer
    await expect
      .poll(() => tools.getByRole('group', { name: /^SendInput/ }).innerText())
      .toMatch(/Message left\s+look out/)
    const waited = tools.getByRole('group', { name: /^WaitAgent/ })
    await expect.poll(() => waited.innerText()).toMatch(/Waited for\s+left/)
    await waited.getByRole('button').first().click()
    await waited.getByRole('group', { name: 'left’s report' }).waitFor()
    await waited.getByText(/no agent with the id/).waitFor()
    await expect.poll(() => tools.getByRole('group', { name: /^AbortAgent/ }).innerText()).toContain('Stopped left')
    expect(workspace.complaints).toEqual([])
  })

  test('on a phone, nothing is wider than the screen, and the conversation fills it', async () => {
    const page = await workspace.open({ viewport: { width: 390, height: 844 }, hasTouch: true })
    const isTooWide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.agents-panel, .agents-panel *, .tool, .tool *')].some(
          (element) => element.getBoundingClientRect().right > window.innerWidth + 1,
        ),
      )
    await chatPage(page).send('nested')
    await card(page, 'lead').getByRole('button', { name: 'Answer test-approval' }).waitFor()
    await expect.poll(isTooWide).toBe(false)
    await chatPage(page).option('2 agents running')
    await panel(page).getByRole('article', { name: 'test-approval: needs your attention' }).waitFor()
    await expect.poll(isTooWide).toBe(false)
    await panel(page).getByRole('button', { name: 'Answer test-approval' }).click()
    await panel(page).getByRole('button', { name: 'Deny', exact: true }).waitFor()
    await expect.poll(isTooWide).toBe(false)
    const box = await panel(page).boundingBox()
    expect(box).toMatchObject({ x: 0, y: 0, width: 390, height: 844 })
    await panel(page).getByRole('button', { name: 'Stop test-approval' }).click()
    await panel(page).getByRole('button', { name: 'Retry test-approval' }).waitFor()
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    await chatPage(page).finished()
    expect(workspace.complaints).toEqual([])
  })

  // agents-kill.test.ts restarts the server below a tree in every run. sub-agents.test.ts reads the tree again.
  test('the tree and its asks survive a server restart', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('nested')
    await card(page, 'lead').getByRole('button', { name: 'Answer test-approval' }).waitFor()
    await workspace.restart()
    await page.reload()
    // The disconnect is reported.
    workspace.complaints.splice(0)
    await card(page, 'lead').getByRole('button', { name: 'Answer test-approval' }).click()
    await panel(page).getByRole('button', { name: 'Allow once' }).click()
    await panel(page).getByText('It may.').waitFor()
    await panel(page).getByRole('button', { name: 'Close', exact: true }).click()
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.innerText()).toContain('It was led.')
    expect(workspace.complaints).toEqual([])
  })
})
