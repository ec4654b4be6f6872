import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { scriptedModel } from '@troupe/core/testing'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { wireServer } from '../../server/src/testing/wire-server.ts'
import type { WireServer } from '../../server/src/testing/wire-server.ts'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined
    ? 'branches and search (skipped: no Chromium, CHROMIUM_PATH is not set)'
    : 'branches and search'

const patiently = { timeout: 15_000 }
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe.skipIf(chromium === undefined || !full)(name, () => {
  const answer = (prompt: readonly { role: string; content: unknown }[]) => {
    const asked = prompt.filter((message) => message.role === 'user') as { content: { text: string }[] }[]
    const text = asked.at(-1)?.content.at(-1)?.text ?? ''
    return [{ text: `Answer ${asked.length} to **${text.slice(0, 40)}**, which says needle once.` }]
  }
  let wire: WireServer
  let workspace: TestWorkspace
  let page: Page
  let chat: ReturnType<typeof chatPage>
  beforeAll(async () => {
    wire = await wireServer()
    const acme = {
      type: 'openai-compatible',
      baseURL: wire.baseURL('custom'),
      apiKey: 'k',
      // Each answer on the wire costs $0.52.
      models: [{ id: 'priced', price: { input: 1000, output: 10_000 } }],
    }
    const permissions = { allow: ['Write', 'Bash', 'Task'] }
    workspace = await openWorkspace(chromium ?? '', {
      models: {
        'test/script': scriptedModel(answer, { provider: 'test', modelId: 'script' }),
        'test/other': scriptedModel(() => [{ text: 'From the other model.' }], { provider: 'test', modelId: 'other' }),
      },
      files: { 'read-me.txt': 'hello\n' },
      home: { 'config.json': JSON.stringify({ model: 'test/script', providers: { acme }, permissions }) },
    })
  })
  beforeEach(async () => {
    page = await workspace.sharedPage({ width: 1440, height: 900 })
    chat = chatPage(page)
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(async () => {
    await workspace?.close()
    await wire?.close()
  })

  const tell = async (sessionId: string, more: object): Promise<string> => {
    const response = await workspace.server().fetch('/ai/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId, ...more, responseMode: 'json' }),
    })
    return ((await response.json()) as { message: { id: string } }).message.id
  }
  const say = (sessionId: string, id: string, text: string, more: object = {}) =>
    tell(sessionId, { message: { id, role: 'user', parts: [{ type: 'text', text }] }, ...more })
  const newId = () => `s${Date.now()}`
  const show = (sessionId: string) => page.evaluate((id) => void (window.location.hash = `s=${id}`), sessionId)
  const showThreeAnswers = async (sessionId = newId()): Promise<void> => {
    for (const nth of ['first', 'second', 'third']) await say(sessionId, nth, `${nth} question`)
    await show(sessionId)
    await chat.lastAnswer.getByText('Answer 3').waitFor()
  }
  /** The third answer exists twice; the other model's answer is shown. */
  const showBranches = async (): Promise<void> => {
    const sessionId = newId()
    await showThreeAnswers(sessionId)
    await tell(sessionId, { trigger: 'regenerate-message', messageId: 'third', model: 'test/other' })
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await chat.lastAnswer.getByText('From the other model.').waitFor()
  }
  const goToFirst = async (): Promise<void> => {
    await chat.lastAnswer.getByRole('button', { name: 'Previous branch' }).click()
    await chat.lastAnswer.getByText('Answer 3').waitFor()
  }
  const compare = async (): Promise<void> => {
    await goToFirst()
    await chatPage(page).option('Branch map')
    await page.getByRole('treeitem', { name: /^Answer: From the other model/ }).click()
    await page.getByRole('button', { name: 'Compare with current branch' }).click()
  }

  test('an answer is regenerated with another model, chosen with the keyboard', async () => {
    await showThreeAnswers()
    await chat.lastAnswer.getByRole('button', { name: 'Try another model' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).fill('other')
    await page.keyboard.press('Enter')
    await chat.lastAnswer.getByText('From the other model.').waitFor()
    await chat.lastAnswer.getByText('2 / 2').waitFor()
    await expect.poll(() => chat.lastAnswer.locator('.facts-model').innerText()).toBe('test/other')
  })

  test('the map shows every branch and opens it, with only the keyboard', async () => {
    await showBranches()
    await chatPage(page).option('Branch map')
    const map = page.getByRole('tree')
    await map.waitFor()
    await page.getByText('2 branches, 7 messages').waitFor()
    await map.focus()
    await page.keyboard.press('End')
    const marked = map.getByRole('treeitem', { selected: true })
    await expect.poll(() => marked.getAttribute('aria-label')).toMatch(/^Answer: From the other model\., current$/)
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => marked.getAttribute('aria-label')).toMatch(/^Answer: Answer 3/)
    await expect.poll(() => marked.getAttribute('aria-level')).toBe('2')
    await page.keyboard.press('Enter')
    await chat.lastAnswer.getByText('Answer 3').waitFor()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => marked.getAttribute('aria-label')).toMatch(/^You: third question/)
    await page.keyboard.press('Home')
    await expect.poll(() => marked.getAttribute('aria-label')).toMatch(/^You: first question/)
  })

  test('two branches are compared side by side, and the result of one is merged into the other', async () => {
    await showBranches()
    await compare()
    const left = page.getByRole('article', { name: 'Current, Answer' })
    await expect.poll(() => left.locator('.compare-text').innerText()).toMatch(/^Answer 3 to third question/)
    await expect.poll(() => left.locator('.compare-text strong').first().innerText()).toBe('third question')
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('compare-removed')?.size ?? 0)).toBeGreaterThan(0)
    const right = page.getByRole('article', { name: 'Other branch, Answer' })
    await expect.poll(() => right.innerText()).toContain('From the other model.')
    await expect.poll(() => page.getByRole('row', { name: /^Tokens/ }).innerText()).toMatch(/Tokens\s+\d+\s+\d+/)
    await page.getByText('Highlight differences').click()
    await left.locator('strong', { hasText: 'third question' }).waitFor()
    await page.getByRole('button', { name: 'Merge other branch into current' }).click()
    await expect.poll(() => chat.field.inputValue(), patiently).toContain('> From the other model.')
    await expect.poll(() => chat.field.evaluate((element) => element === document.activeElement)).toBe(true)
    await expect.poll(() => page.getByRole('log').innerText()).toContain('Answer 3')
  })

  test('a message is deleted at once, in every tab, and restored', async () => {
    await showBranches()
    await compare()
    const second = chatPage(await page.context().newPage())
    await second.page.goto(page.url())
    await second.own.nth(2).waitFor()
    // The comparison is shown too and reads both branches.
    await second.page.getByRole('article', { name: 'Other branch, Answer' }).waitFor()
    await page.bringToFront()
    await chat.own.nth(1).getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('5 messages deleted.').waitFor()
    await chat.own.nth(1).waitFor({ state: 'detached' })
    await second.own.nth(1).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await chat.own.nth(2).waitFor()
    await second.own.nth(2).waitFor()
  })

  test('words are found in the whole chat, one after the other, also in another branch', async () => {
    await showBranches()
    await goToFirst()
    await chat.field.focus()
    await page.keyboard.press('Control+f')
    const field = page.getByRole('textbox', { name: 'Find in this chat' })
    await field.fill('NEEDLE')
    const place = page.locator('.find-place')
    await expect.poll(() => place.innerText(), patiently).toMatch(/^\d of 3/)
    const marks = () => page.evaluate(() => CSS.highlights.get('found')?.size ?? 0)
    await expect.poll(marks, patiently).toBeGreaterThan(0)
    await field.fill('other model')
    await expect.poll(() => place.innerText(), patiently).toMatch(/^1 of 1/)
    await chat.lastAnswer.getByText('From the other model.').waitFor()
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('found-here')?.size), patiently).toBe(1)
    await field.fill('nowhere to be found')
    await expect.poll(() => place.innerText(), patiently).toBe('No matches')
    await field.press('Escape')
    await field.waitFor({ state: 'detached' })
    await expect.poll(() => chat.field.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await marks()).toBe(0)
  })

  test('a search result is highlighted in place, including in the result of a tool call', async () => {
    const sessionId = newId()
    wire.play(
      { turn: { calls: [{ id: 'zebra', name: 'Bash', input: { command: 'echo zebrafinch' } }] } },
      { turn: { text: 'Done.' } },
    )
    await say(sessionId, 'birds', 'birds', { model: 'acme/priced' })
    await page.getByRole('navigation').getByRole('textbox').fill('zebrafinch')
    await page.locator('.hit-snippet').first().click()
    await chat.own.getByText('birds', { exact: true }).waitFor()
    await expect.poll(() => page.locator('.find-place').innerText(), patiently).toMatch(/^1 of 1/)
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('found-here')?.size), patiently).toBe(1)
    expect(await page.locator('.tool-head[aria-expanded="true"]').count()).toBe(1)
    await expect.poll(() => chat.field.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Close search' }).click()
    await page.locator('.find-bar').waitFor({ state: 'detached' })
  })

  test('only one branch is kept on request, and that can be undone', async () => {
    await showBranches()
    await chatPage(page).option('Branch map')
    await page.getByRole('treeitem', { name: /^Answer: From the other model/ }).click()
    await page.getByRole('button', { name: 'Keep only this branch' }).click()
    const dialog = page.getByRole('dialog', { name: 'Keep only this branch?' })
    await expect.poll(() => dialog.innerText()).toContain('1 message in other branches')
    await dialog.getByRole('button', { name: 'Keep only this branch' }).click()
    await page.getByText('This chat has one branch.').waitFor()
    expect(await chat.lastAnswer.innerText()).not.toContain('2 / 2')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('2 branches, 7 messages').waitFor()
  })

  // compare-branches.test.ts describes branches in every run.
  test('tool calls, files and costs of two branches are compared, including sub-agents', async () => {
    const write = (file: string) => ({ id: file, name: 'Write', input: { file_path: file, content: 'x\n' } })
    const bash = (id: string, command: string) => ({ id, name: 'Bash', input: { command } })
    const task = { id: 'task', name: 'Task', input: { name: 'coder', task: 'more of it' } }
    const sessionId = newId()
    const priced = { model: 'acme/priced', parentMessageId: await say(sessionId, 'begin', 'begin') }
    wire.play({ turn: { calls: [bash('b1', 'node --version > version.txt')] } }, { turn: { text: 'Quick.' } })
    await say(sessionId, 'short-way', 'short-way', priced)
    wire.play({ turn: { calls: [write('own.txt'), bash('b2', 'echo 1 > bash.txt'), task] } })
    wire.play({ turn: { calls: [write('agent.txt')] } }, { turn: { text: 'It is made.' } }, { turn: { text: 'Long.' } })
    await say(sessionId, 'long-way', 'long-way', priced)

    await show(sessionId)
    const facts = chat.lastAnswer.locator('.facts')
    await facts.getByText('$2.08').waitFor()
    await expect
      .poll(() => facts.locator('.facts-price').getAttribute('title'))
      .toBe('Cost: $2.08 ($1.04 main agent, $1.04 sub-agents)')
    await expect.poll(() => facts.locator('.facts-tokens').innerText()).toBe('640 tokens')
    await expect.poll(() => facts.locator('.facts-tokens').getAttribute('title')).toMatch(/320 by sub-agents$/)

    await chatPage(page).option('Branch map')
    await page.getByRole('treeitem', { name: /^Answer: Write, Bash, Task/ }).click()
    await expect.poll(() => page.getByRole('region', { name: 'Answer' }).innerText()).toContain('$2.08')
    await page.getByRole('treeitem', { name: /^Answer: Quick/ }).click()
    await page.getByRole('button', { name: 'Compare with current branch' }).click()
    const cells = async (row: string): Promise<string[]> =>
      page
        .getByRole('row', { name: new RegExp(`^${row}`) })
        .getByRole('cell')
        .allInnerTexts()
    await page.getByRole('row', { name: /^Cost/ }).waitFor()
    expect(await cells('Cost')).toEqual(['$2.08', '$1.04'])
    expect(await cells('Tokens')).toEqual(['640', '320'])
    expect(await cells('Files touched')).toEqual([
      'own.txt\nbash.txt\nagent.txt',
      'version.txt\nand any changes by 1 command',
    ])
    const calls = await cells('Tool calls')
    expect(calls.map((cell) => cell.split('\n').length)).toEqual([3, 1])
    expect(calls[0]).toMatch(/own\.txt[^]*echo 1 > bash\.txt[^]*coder/)

    await page.keyboard.press('Control+Shift+L')
    const shown = page.locator('.debug-value pre')
    await page.getByText('useChatSession()').click()
    await expect.poll(() => shown.innerText(), patiently).toMatch(/"messageId": "long-way",\s+"index": 2,\s+"total": 2/)
    await page.getByText('useChatActions()').click()
    await expect.poll(() => shown.innerText(), patiently).toMatch(/"goOn": "ƒ goOn\(\)",\s+"remove": "ƒ remove\(\)"/)
  })

  // The tests of the columns, and runs/columns.test.ts of the server, do this in every run.
  test('two models answer side by side; the user continues with one, and the other stays as a branch', async () => {
    await chat.newSession()
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('button', { name: 'Compare models' }).click()
    // The focus is in the search field, with the current model selected.
    await page.keyboard.type('other')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^2 models to compare/ }).waitFor()
    await chat.send('compare this')
    const columns = page.getByRole('region', { name: /^Answer \d: .*finished$/ })
    await expect.poll(() => columns.count(), patiently).toBe(2)
    await page.keyboard.press('Alt+2')
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('From the other model.')
    await page.reload()
    await expect.poll(() => columns.count(), patiently).toBe(2)
    await page.evaluate(axe)
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByRole('tab', { name: /finished$/ }).nth(1).click() // prettier-ignore
    await page.getByRole('tabpanel').getByText('From the other model.').waitFor()
    expect(await violations(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await chat.field.isEnabled()).toBe(true)
    await page.getByRole('button', { name: 'Continue with this answer' }).nth(1).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => chat.answers.allInnerTexts(), patiently).toHaveLength(1)
    await expect.poll(() => chat.lastAnswer.innerText()).toContain('2 / 2')
    await chat.ask('and then?')
    await expect.poll(() => chat.lastAnswer.innerText()).toContain('From the other model.')
    await page.getByRole('button', { name: /^Model:/ }).waitFor()
  })

  test('there were no errors', () => {
    // axe tries to use `eval`.
    expect(workspace.complaints.filter((text) => !text.includes('script-src eval'))).toEqual([])
  })
})

async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe: found } = window as unknown as { axe: { run(root: string): Promise<AxeResults> } }
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)))
    const results = await found.run('.columns')
    return results.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  })
}
