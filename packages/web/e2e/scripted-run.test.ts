import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined ? 'a scripted run (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'a scripted run'

/** Reports its action, then waits until the test writes the file `go` into the workspace. */
const walkTool = `
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Walks', input: z.object({ way: z.string() }), readOnly: true, group: 'testing',
  async *execute({ way }, ctx) {
    ctx.emit('weather', { sky: 'clear' })
    yield 'left foot\\n'
    yield 'right foot\\n'
    while (!existsSync(ctx.workspace.path + '/go')) await wait(10)
    return { walked: way }
  },
})`

/** One-time errors are consumed, so each attempt needs new scripts. */
const newScripts = (): Record<string, ScriptTurn[]> => ({
  walk: [
    [
      { reasoning: 'First the shoes.', chunks: 2, delayMs: 60 },
      { call: { name: 'Walk', input: { way: 'to the sea', actionName: 'Going to the sea' } } },
    ],
    [{ text: 'There.' }],
  ],
  break: [
    [
      { text: 'Half of it' },
      { error: { message: 'The wire was cut.' }, when: 'mid', times: 1 },
      { text: ' and all of it.' },
    ],
  ],
  busy: [
    [
      { error: { message: 'Too many requests.', statusCode: 429, retryable: true }, when: 'before', times: 1 },
      { text: 'Now it went.' },
    ],
  ],
  twice: [
    [
      { call: { name: 'TestApproval', input: { message: 'The first?' } } },
      { call: { name: 'TestApproval', input: { message: 'The second?' } } },
    ],
    [{ text: 'Both were answered.' }],
  ],
})

describe.skipIf(chromium === undefined || !full)(name, () => {
  let scripts = newScripts()
  const model = scriptedModel(
    (prompt) => {
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const text = prompt[last]?.content[0] as { text: string }
      return scripts[text.text]?.[prompt.length - last > 1 ? 1 : 0] ?? [{ text: 'Yes.' }]
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      home: { 'tools/walk.ts': walkTool, 'config.json': '{"model": "test/script"}' },
    })
  })
  beforeEach(() => {
    scripts = newScripts()
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('a tool shows its progress while it runs, its result in the end, and data of any name', async () => {
    const go = path.join(workspace.folder, 'go')
    await rm(go, { force: true })
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('walk')
    await chat.lastAnswer.getByText('right foot').waitFor()
    await chat.page.reload()
    const card = chat.lastAnswer.getByRole('button', { name: /^Going to the sea/ })
    await card.waitFor()
    await expect.poll(() => card.textContent()).toContain('running')
    await writeFile(go, '')
    await chat.finished()
    // A card open during the run stays open and shows the result.
    await expect.poll(() => chat.lastAnswer.getByText('walked').count()).toBe(1)
    await chat.lastAnswer.getByRole('button', { name: 'Weather' }).click()
    await expect.poll(() => chat.lastAnswer.getByText('clear').count()).toBe(1)
    const thought = chat.lastAnswer.getByRole('button', { name: /^Thought/ })
    const took = await thought.innerText()
    await chat.page.reload()
    await expect.poll(() => thought.innerText()).toBe(took)
    await thought.click()
    await chat.lastAnswer.getByText('First the shoes.').waitFor()
  })

  test('a provider error is shown with the text so far, and can be retried', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.ask('break')
    await expect.poll(() => chat.lastAnswer.locator('.prose').innerText()).toBe('Half of it')
    await expect.poll(() => chat.lastAnswer.getByRole('alert').innerText()).toContain('The wire was cut.')
    await expect
      .poll(() => chat.page.getByTestId('announcer').textContent())
      .toMatch(/^Answer failed\. .*The wire was cut\./)
    await expect.poll(() => chat.lastAnswer.getByRole('button', { name: 'Regenerate' }).count()).toBe(0)
    await chat.lastAnswer.getByRole('button', { name: 'Try again' }).click()
    await chat.lastAnswer.getByText('2 / 2').waitFor()
    await expect.poll(() => chat.lastAnswer.locator('.prose').last().innerText()).toBe('and all of it.')
    await expect.poll(() => chat.lastAnswer.getByRole('alert').count()).toBe(0)
  })

  test('while the provider is busy, the page shows the reason', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('busy')
    await chat.page.getByText(/Too many requests.*Retrying in/).waitFor()
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.locator('.prose').innerText()).toBe('Now it went.')
  })

  test('two calls of one step are decided one by one', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.send('twice')
    await chat.page
      .getByRole('group', { name: /needs your approval/ })
      .nth(1)
      .waitFor()
    await chat.waiting(2)
    await chat.page.getByRole('button', { name: 'Allow once' }).first().click()
    await chat.waiting(1)
    await chat.page.getByRole('button', { name: 'Deny with a note', disabled: false }).click()
    await chat.page.getByRole('textbox', { name: 'Note for a denial' }).fill('one is enough')
    await chat.page.keyboard.press('Enter')
    await chat.finished()
    await expect.poll(() => chat.lastAnswer.textContent()).toContain('Both were answered.')
  })

  test('a reload while an answer is regenerated shows the new one in its place', async () => {
    const chat = chatPage(await workspace.sharedPage())
    await chat.ask('anything')
    await chat.ask('again and')
    const again = `again ${Date.now()}`
    scripts[again] = [[{ text: 'Slowly' }, { gate: again }, { text: ' done.' }]]
    await chat.send(again)
    await model.reached(again)
    await chat.stopButton.click()
    await chat.finished()
    await chat.lastAnswer.getByRole('button', { name: 'Regenerate' }).click()
    await chat.lastAnswer.getByText('Slowly').waitFor()
    await chat.page.reload()
    await chat.lastAnswer.getByText('Slowly').waitFor()
    await expect.poll(() => chat.answers.count()).toBe(3)
    await expect.poll(() => chat.own.count()).toBe(3)
    model.open(again)
    await chat.lastAnswer.getByText('2 / 2').waitFor()
    await expect.poll(() => chat.lastAnswer.locator('.prose').last().innerText()).toBe('done.')
  })

  test('there were no errors', () => {
    expect(workspace.complaints.filter((complaint) => !complaint.startsWith('server:'))).toEqual([])
  })
})
