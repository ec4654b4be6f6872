import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { axe, everyLook, everyTheme, oneLook } from './testing/axe.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'for everybody (skipped: no Chromium)' : 'for everybody'

const sections = [
  'general',
  'instructions',
  'models',
  'model-list',
  'usage',
  'agents',
  'skills',
  'mcp',
  'rules',
  'hooks',
  'appearance',
  'language',
  'notifications',
  'shortcuts',
  'data',
  'about',
]
// The sections consist of the same fields, lists and buttons.
const shownSections = sections.filter((_, index) => full || index % 4 === 0)

/** A dialog. The page behind it is checked on its own, and once with a dialog. */
const over = 'dialog[open]'

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  /** Shared by all tests until one fails. */
  let page: Page
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', { files: { 'a.txt': 'one\ntwo\n' } })
  })
  beforeEach(async () => {
    if (page?.isClosed() === false) return
    page = await workspace.open()
    await page.evaluate(axe)
  })
  afterEach(async (context) => {
    if (context.task.result?.state === 'fail') await workspace.closePages(context)
  })
  afterAll(() => workspace?.close())

  test('axe finds nothing on the first screen', async () => {
    expect(await everyLook(page)).toEqual([])
  })

  // Before there are chats: axe reads everything behind an overlay.
  test.each(shownSections)('axe finds nothing in the settings: %s', async (section) => {
    await page.evaluate((hash) => (window.location.hash = hash), `#settings/${section}`)
    const shown = page.getByRole('dialog', { name: /^Settings/ }).locator('.settings-pane')
    await shown.locator(':scope > *:not(.settings-note)').first().waitFor()
    expect(await everyLook(page, section === shownSections[0] ? undefined : over)).toEqual([])
    if (section !== shownSections.at(-1)) return
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
  })

  test('axe finds nothing in a conversation with text, tools and a question, nor in its overlays', async () => {
    const chat = chatPage(page)
    await chat.ask('Show me Markdown')
    await chat.ask('Show me a failing tool')
    await chat.lastAnswer.getByRole('button', { name: /failed/ }).click()
    await chat.send('Ask me for approval')
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor()
    expect(await everyLook(page)).toEqual([])
    await page.getByRole('button', { name: 'Allow once', exact: true }).click()
    await chat.finished()
    // axe reads everything behind an overlay, so what lies behind is short.
    await chat.newSession()
    await chat.send('Ask me for approval')
    await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor()
    await page.keyboard.press('Control+i')
    await page.getByRole('dialog').waitFor()
    expect(await everyLook(page, over)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Allow once', exact: true }).click()
    await chat.finished()
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('combobox', { name: 'Search models' }).waitFor()
    expect(await oneLook(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page
      .getByRole('navigation')
      .getByRole('button', { name: /^Options for/ })
      .first()
      .click()
    await page.getByRole('menu').waitFor()
    expect(await oneLook(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Shift+F')
    await page.getByRole('navigation').getByRole('textbox').fill('approval')
    await page.locator('.hit-snippet').first().waitFor()
    expect(await oneLook(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Context' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await everyLook(page, over)).toEqual([])
    await page.keyboard.press('Escape')
    await chatPage(page).option('Branch map')
    await page.getByRole('tree').waitFor()
    expect(await everyLook(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  test.runIf(full)(
    'axe finds nothing in a report, a chart, an image and a form, nor in a panel next to them',
    async () => {
      const chat = chatPage(page)
      await chat.newSession()
      await chat.ask('Make a small report')
      await chat.ask('Draw a chart')
      await chat.send('Paint a picture of quiet hills')
      await page.getByRole('button', { name: 'Allow once', exact: true }).click()
      await chat.finished()
      // Two identical tool calls have the same name.
      await chat.ask('What time is it in Tokyo?')
      await chat.ask('What time is it in Tokyo?')
      await chat.send('Show me a form')
      await page.getByRole('button', { name: 'Book', exact: true }).waitFor()
      await page.setViewportSize({ width: 1200, height: 4000 })
      await page.getByRole('group', { name: 'TimeNow: done' }).nth(1).waitFor()
      await page.getByRole('group', { name: 'JsxCreate: done' }).waitFor()
      expect(await everyLook(page)).toEqual([])
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
      await chat.finished()
      const card = page.getByRole('group', { name: 'ChartRender: done' })
      await card.getByRole('button', { name: 'Open in panel' }).click()
      await page.getByRole('separator', { name: 'Resize panels' }).waitFor()
      expect(await oneLook(page)).toEqual([])
      await page.keyboard.press('Escape')
    },
  )

  test.runIf(full)('axe finds nothing in the panels of the folder, nor in its dialogs', async () => {
    const chat = chatPage(page)
    await chat.newSession()
    const panel = '.side-panel-stack'
    await page.keyboard.press('Control+Shift+E')
    const row = page.getByRole('treeitem', { name: /^a\.txt/ })
    await row.click({ modifiers: ['Control'] })
    expect(await everyLook(page, panel)).toEqual([])
    await row.click()
    await page.locator('.file-editor').waitFor()
    expect(await everyLook(page, panel)).toEqual([])
    const ofFolder = async (item: string): Promise<void> => {
      await page.locator('button.folder-switcher').click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await ofFolder('Projects and tasks')
    await page.getByRole('button', { name: 'Whole folder' }).click()
    await page.getByRole('textbox', { name: 'Add a task' }).fill('Ship it')
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'Ship it' }).waitFor()
    expect(await everyLook(page, panel)).toEqual([])
    await page.keyboard.press('Control+`')
    await page.locator('.xterm-screen').waitFor()
    expect(await everyLook(page, panel)).toEqual([])
    for (const item of ['Open folder…', 'Worktrees…']) {
      await ofFolder(item)
      await page.getByRole('dialog').waitFor()
      expect(await (full ? everyLook : everyTheme)(page, over)).toEqual([])
      await page.locator(over).evaluate((dialog: HTMLDialogElement) => dialog.close())
      await page.locator(over).waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Control+.')
  })

  test.runIf(full)('axe finds nothing in dialogs and menus', async () => {
    const chat = chatPage(page)
    const look = async (shown: Locator, within?: string): Promise<void> => {
      await shown.waitFor()
      expect(await oneLook(page, { within })).toEqual([])
      await page.keyboard.press('Escape')
      await shown.waitFor({ state: 'detached' })
    }
    await chat.newSession()
    await chat.ask('Hello')
    await page.keyboard.press('Control+k')
    await look(page.getByRole('dialog').getByRole('combobox'), over)
    await page.keyboard.press('Control+f')
    await look(page.getByRole('textbox', { name: 'Find in this chat' }))
    await page.getByRole('button', { name: 'Model settings' }).click()
    await look(page.locator('.params-popover .params'))
    await page.getByRole('navigation').getByRole('button', { name: 'Archive, trash, import' }).click()
    await page.getByRole('menuitem', { name: 'Import…' }).click()
    await look(page.getByRole('dialog', { name: 'Import chats' }), over)
    await chat.field.blur()
    await page.keyboard.press('?')
    await look(page.locator('.shortcut-columns'), over)
    await chat.lastAnswer.getByRole('button', { name: 'Regenerate', exact: true }).click()
    await chat.lastAnswer.getByText('2 / 2').waitFor()
    await chatPage(page).option('Branch map')
    await page
      .getByRole('treeitem', { name: /^Answer/ })
      .nth(-2)
      .click()
    await page.getByRole('button', { name: 'Compare with current branch' }).click()
    await page.getByRole('article', { name: 'Current, Answer' }).first().waitFor()
    expect(await everyLook(page)).toEqual([])
    await page.keyboard.press('Escape')
    await chat.newSession()
  })

  test('axe finds nothing on the locked page', async () => {
    const stranger = await workspace.newPage()
    await stranger.goto(page.url().replace(/#.*/, ''))
    await stranger.getByRole('heading', { name: 'This page is locked' }).waitFor()
    await stranger.evaluate(axe)
    expect(await everyLook(stranger)).toEqual([])
  })
})
