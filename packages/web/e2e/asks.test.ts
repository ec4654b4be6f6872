import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'
import { showChat, storeChat } from './testing/store-chat.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined
    ? 'what a person is asked (skipped: no Chromium, CHROMIUM_PATH is not set)'
    : 'what a person is asked'

const questions = [
  {
    question: 'Which database shall it be?',
    header: 'Database',
    options: [
      { label: 'SQLite', description: 'One file, no server' },
      { label: 'Postgres', description: 'For a team' },
    ],
  },
  {
    question: 'What shall be tested?',
    header: 'Tests',
    multiSelect: true,
    options: [{ label: 'Reading' }, { label: 'Writing' }, { label: 'Crashes' }],
  },
]

const plan = `## Garden

1. Dig a **bed**
2. Plant \`roses\`

| Plant | When |
|---|---|
| Rose | April |`

/** Changes the input of one tool call, denies another, and adds a remark to a third. */
const hook = `
import { defineHook } from '@troupe/core'
export default defineHook({
  event: 'before-call',
  match: 'TestApproval',
  run: ({ input }) => (input.message === 'Rewrite me?' ? { input: { ...input, message: 'Rewritten?' } } : undefined),
})`

const makeFile = { command: 'touch made.txt', description: 'Make a file' }
const scripts: Record<string, ScriptTurn> = {
  questions: [{ call: { name: 'AskUserQuestion', input: { questions } } }],
  question: [{ call: { name: 'AskUserQuestion', input: { questions: questions.slice(0, 1) } } }],
  plan: [{ call: { name: 'ExitPlanMode', input: { plan } } }],
  make: [{ call: { name: 'Bash', input: makeFile } }],
  rewrite: [{ call: { name: 'TestApproval', input: { message: 'Rewrite me?' } } }],
  secret: [{ call: { name: 'Bash', input: { command: 'touch harmless.txt' } } }],
}

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
  const lastSent = (): string => JSON.stringify(sent.at(-1))
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'read-me.txt': 'hello\n' },
      home: {
        'config.json': JSON.stringify({ model: 'test/script', permissions: { deny: ['Bash(touch secret*)'] } }),
        'hooks/rewrite.ts': hook,
      },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('questions are answered with options and free text, even after a reload, and the model gets each', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('questions')
    const form = chat.page.getByRole('group', { name: '2 questions' })
    await expect.poll(() => form.getByRole('button', { name: /^Answer/ }).isDisabled()).toBe(true)
    await chat.page.reload()
    await form.getByRole('radio', { name: /SQLite/ }).check()
    await form.getByRole('radio', { name: /Postgres/ }).check()
    await form.getByRole('checkbox', { name: 'Reading' }).check()
    await form.getByRole('checkbox', { name: 'Crashes' }).check()
    await form.getByRole('textbox', { name: /What shall be tested/ }).fill('and a full disk')
    await form.getByRole('button', { name: 'Answer (2 of 2)' }).click()
    await chat.finished()
    expect(lastSent()).toContain(
      'Which database shall it be?\\n→ Postgres\\nWhat shall be tested?\\n→ Reading; Crashes',
    )
    expect(lastSent()).toContain('and a full disk')
    const card = chat.page.getByRole('group', { name: 'AskUserQuestion: done' })
    await expect
      .poll(() => card.getByRole('definition').allInnerTexts())
      .toEqual(['Postgres', expect.stringMatching(/Reading\s+Crashes\s+and a full disk/)])
    await expect.poll(() => form.count()).toBe(0)
  })

  test.runIf(full)('a question that is not answered ends the turn', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('question')
    await chat.page.getByRole('button', { name: 'Skip' }).click()
    await chat.lastAnswer.getByText('AskUserQuestion was denied.').waitFor()
    await chat.finished()
    expect(await chat.lastAnswer.innerText()).not.toContain('That is all.')
  })

  test('a question and its unsent answer survive a server restart', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('question')
    await page.getByRole('textbox', { name: /^Other answer/ }).fill('a folder of files')
    await workspace.restart(() => page.getByText(/^Reconnecting…/).waitFor())
    await page.getByText(/^Reconnecting…/).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Answer', exact: true }).click()
    await chat.finished()
    expect(lastSent()).toContain('→ a folder of files')
    expect(
      workspace.complaints.splice(0).filter((complaint) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(complaint)),
    ).toEqual([])
  })

  test('a plan is read as Markdown, changed with a remark, and carried out', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await showChat(page, await storeChat(workspace.server(), { title: 'hello', texts: ['hello', 'That is all.'] }))
    await setMode(page, 'plan')
    await chat.send('plan')
    const form = page.getByRole('group', { name: 'Approve this plan?' })
    await form.getByRole('table').waitFor()
    await expect.poll(() => form.getByRole('button', { name: 'Keep planning' }).isDisabled()).toBe(true)
    await form.getByRole('textbox', { name: 'Feedback on the plan' }).fill('Water it, too')
    await form.getByRole('button', { name: 'Keep planning' }).click()
    await chat.finished()
    expect(lastSent()).toContain('Water it, too')
    expect(await mode(page)).toBe('plan')
    await chat.send('plan')
    await form.getByRole('button', { name: 'Start editing' }).click()
    await chat.finished()
    expect(lastSent()).toContain('The user approved the plan.')
    expect(lastSent()).toContain('Water it, too')
    expect(await mode(page)).toBe('accept-edits')
  })

  test.runIf(full)('a plan starts with a clean context: the model gets only the plan', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    const texts = ['something that will be forgotten', 'That is all.']
    await showChat(page, await storeChat(workspace.server(), { title: 'A garden', texts }))
    await setMode(page, 'plan')
    await chat.send('plan')
    await page.getByRole('button', { name: 'Start with fresh context' }).click()
    await chat.finished()
    expect(lastSent()).toContain('Plant `roses`')
    expect(lastSent()).not.toContain('forgotten')
    await expect.poll(() => chat.own.count()).toBe(2)
    await page.getByRole('button', { name: /Older messages summarized/ }).waitFor()
  })

  test('the rule to remember is shown, and after an approval nothing asks again', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('make')
    const allow = page.getByRole('button', { name: 'Allow for this chat' })
    await allow.waitFor()
    await expect.poll(() => page.locator('.approval-rules').innerText()).toContain('Bash(touch')
    await allow.click()
    await chat.finished()
    await chat.ask('make')
    await expect.poll(() => chat.answers.count()).toBe(2)
    await page.getByRole('group', { name: 'Bash: done' }).nth(1).waitFor()
  })

  test.runIf(full)('the approval is for the input changed by a hook, with the model’s input next to it', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('rewrite')
    await page
      .getByRole('group', { name: /^TestApproval:/ })
      .getByText('Rewritten?')
      .first()
      .waitFor()
    await page.getByRole('group', { name: 'Your decision' }).getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Show as JSON' }).click()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Tool call input (JSON)' }).inputValue())
      .toContain('Rewritten?')
    await page.getByRole('button', { name: 'Allow once' }).click()
    await chat.finished()
    await page.getByRole('group', { name: 'TestApproval: done' }).getByText('Ran with a hook’s changes').waitFor()
  })

  test.runIf(full)('an edited input that a rule denies is not run, and both read why', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('secret')
    await page.getByRole('group', { name: 'Your decision' }).getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'command', exact: true }).fill('touch secret.txt')
    await page.getByRole('button', { name: 'Allow with edits' }).click()
    await chat.finished()
    await expect.poll(() => page.getByRole('group', { name: /^Bash:/ }).innerText()).toContain('touch secret')
    expect(lastSent()).toContain('edited input was denied')
    await expect(readFile(path.join(workspace.folder, 'secret.txt'))).rejects.toThrow('ENOENT')
  })

  test('there were no errors', () => {
    expect(workspace.complaints).toEqual([])
  })
})

const sessionPath = (page: Page): string =>
  `/ai/sessions/${new URLSearchParams(new URL(page.url()).hash.slice(1)).get('s')}`

async function setMode(page: Page, next: string): Promise<void> {
  const path = sessionPath(page)
  const status = await page.evaluate(
    async ([url, body]) =>
      (
        await apiFetch(url as string, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: body ?? '',
        })
      ).status,
    [path, JSON.stringify({ mode: next })],
  )
  expect(status).toBe(200)
}

async function mode(page: Page): Promise<string> {
  return page.evaluate(async (url) => {
    const { session } = (await (await apiFetch(url)).json()) as { session: { mode: string } }
    return session.mode
  }, sessionPath(page))
}
