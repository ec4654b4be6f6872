import { scriptedModel, type ScriptTurn } from '@troupe/core/testing'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { axe, everyLook } from './testing/axe.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const over = 'dialog[open]'

const sales = (total: string): string =>
  `export default function App() { return <main className="p-4"><h1 className="text-2xl">Sales</h1><p>${total}</p></main> }`

/** Keyed by the last message of the user, with one turn per step. */
const scripts: Record<string, ScriptTurn[]> = {
  'sales 1': [[{ call: { name: 'JsxCreate', input: sales('one') } }], [{ text: 'First.' }]],
  'sales 2': [[{ call: { name: 'JsxCreate', input: sales('two') } }], [{ text: 'Second.' }]],
  edit: [
    [
      {
        call: {
          name: 'Edit',
          input: { file_path: 'a.txt', old_string: 'one\n', new_string: 'uno\n' },
        },
      },
      { call: { name: 'Write', input: { file_path: 'b.txt', content: 'three\n' } } },
    ],
    [{ text: 'Edited.' }],
  ],
  delegate: [[{ call: { name: 'Task', input: { name: 'asker', task: 'go' } } }], [{ text: 'It is back.' }]],
  go: [[{ text: 'Trying.' }, { call: { name: 'TestApproval', input: { message: 'May I?' } } }], [{ text: 'I may.' }]],
}

const model = (id: string) =>
  scriptedModel(
    (prompt) => {
      const last = prompt.findLastIndex(({ role }) => role === 'user')
      const said = (prompt[last]?.content.at(-1) as { text: string } | undefined)?.text ?? ''
      const step = prompt.slice(last).filter(({ role }) => role === 'assistant').length
      if (said === 'compare' && id === 'four') return [{ error: { message: 'No credit.', statusCode: 402 } }]
      return scripts[said]?.[step] ?? [{ text: `## ${id}\n\nAn answer with \`code\` and a [link](https://a.example).` }]
    },
    { provider: 'test', modelId: id },
  )

/**
 * The screens that the usual runs leave out. Those of `accessible.test.ts` belong to the same list: with
 * `TROUPE_TEST_FULL=1`, both look at every screen at 390, 1024, 1440 and 1920 px, in every theme.
 */
describe.skipIf(chromium === undefined || !full)('every screen is for everybody', () => {
  let workspace: TestWorkspace
  let page: Page
  let chat: ReturnType<typeof chatPage>
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      files: { 'a.txt': 'one\ntwo\n', '.mcp.json': '{"mcpServers":{"docs":{"command":"docs-server"}}}' },
      home: { 'agents/asker.md': '---\ndescription: Asks.\ntools: [TestApproval]\n---\n\nYou ask.' },
      models: Object.fromEntries(['one', 'two', 'three', 'four'].map((id) => [`test/${id}`, model(id)])),
    })
  })
  beforeEach(async () => {
    page = await workspace.open()
    await page.evaluate(axe)
    chat = chatPage(page)
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  /** The problems of something that Escape closes. */
  const look = async (shown: Locator, within?: string): Promise<string[]> => {
    await shown.waitFor()
    const found = await everyLook(page, within)
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
    return found
  }

  test('settings of voice and sharing', async () => {
    for (const section of ['voice', 'sharing']) {
      await page.evaluate((hash) => (window.location.hash = hash), `#settings/${section}`)
      const pane = page.locator('.settings-pane')
      await pane.locator(':scope > *:not(.settings-note)').first().waitFor()
      expect(await look(pane, over)).toEqual([])
      await page.locator('dialog').waitFor({ state: 'detached' })
    }
  })

  test('forms to add a hook and a skill', async () => {
    for (const [section, add] of [
      ['hooks', 'Add hook'],
      ['skills', 'Add skill'],
    ] as const) {
      await page.evaluate((hash) => (window.location.hash = hash), `#settings/${section}`)
      const pane = page.locator('.settings-pane')
      await pane.getByRole('button', { name: add }).first().click()
      await pane.locator('form').first().waitFor()
      expect(await everyLook(page, over)).toEqual([])
      await page.reload()
      await page.evaluate(axe)
    }
    await page.evaluate(() => (window.location.hash = '#'))
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('compared columns, of which one fails', async () => {
    await chat.newSession()
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('button', { name: 'Compare models' }).click()
    for (const other of ['test/two', 'test/three', 'test/four']) {
      await page.getByRole('combobox', { name: 'Search models' }).fill(other)
      await page.keyboard.press('Enter')
    }
    expect(await everyLook(page)).toEqual([])
    await page.keyboard.press('Escape')
    await chat.send('compare')
    await expect.poll(() => page.getByRole('region', { name: /^Answer \d: .*(finished|failed)$/ }).count()).toBe(4)
    expect(await everyLook(page)).toEqual([])
    await page.getByRole('button', { name: 'Continue with this answer' }).first().click()
  })

  test('the menu of the chat, sharing and feedback', async () => {
    await chat.newSession()
    await chat.ask('Hello')
    await page.getByRole('button', { name: 'Chat options' }).click()
    expect(await look(page.getByRole('menu'))).toEqual([])
    await chat.option(/^Share/)
    expect(await look(page.getByRole('dialog').getByRole('button').first(), over)).toEqual([])
    await chat.lastAnswer.getByRole('button', { name: /^(Bad|Not helpful|Thumbs down)/ }).click()
    await page.locator('.feedback-form').waitFor()
    expect(await everyLook(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test('approvals that are reviewed together', async () => {
    await chat.newSession()
    await chat.send('edit')
    await page.getByRole('button', { name: /^Review/ }).first().click() // prettier-ignore
    expect(await look(page.locator('dialog.review .review-list, dialog.review').first(), over)).toEqual([])
    await page.getByRole('button', { name: 'Deny', exact: true }).first().click()
    await chat.finished()
  })

  test('the approval of a sub-agent, in the chat and in its panel', async () => {
    await chat.newSession()
    await chat.send('delegate')
    await page.getByRole('button', { name: 'Allow once', exact: true }).first().waitFor()
    expect(await everyLook(page)).toEqual([])
    await page.getByRole('button', { name: 'Allow once', exact: true }).first().click()
    await chat.finished()
  })

  test('an artifact with versions, its changes, its edit box, and full screen', async () => {
    await chat.newSession()
    await chat.ask('sales 1')
    await chat.ask('sales 2')
    await chat.lastAnswer.getByRole('button', { name: 'Open in panel' }).click()
    const area = page.locator('.artifact')
    await area.waitFor()
    await area.getByRole('slider').waitFor()
    await area.getByRole('button', { name: 'Select to edit' }).click()
    expect(await everyLook(page)).toEqual([])
    await page.keyboard.press('Escape')
    await area.getByRole('button', { name: 'Show changes' }).click()
    await area.getByText('two').first().waitFor()
    expect(await everyLook(page)).toEqual([])
  })
})
