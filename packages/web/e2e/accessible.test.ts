import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'for everybody (skipped: no Chromium)' : 'for everybody'
const full = process.env['TROUPE_TEST_FULL'] === '1'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
  test.each(sections)('axe finds nothing in the settings: %s', async (section) => {
    await page.evaluate((hash) => (window.location.hash = hash), `#settings/${section}`)
    const shown = page.getByRole('dialog', { name: /^Settings/ }).locator('.settings-pane')
    await shown.locator(':scope > *:not(.settings-note)').first().waitFor()
    expect(await everyLook(page, section === sections[0] ? undefined : over)).toEqual([])
    if (section !== sections.at(-1)) return
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

  test('axe finds nothing in a report, a chart, an image and a form, nor in a panel next to them', async () => {
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
  })

  test('axe finds nothing in dialogs and menus', async () => {
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

let looks = 0

/**
 * Returns accessibility problems in light and dark themes, with more contrast, and on a phone. `within`: an overlay on
 * a page that was already checked.
 *
 * All themes have the same elements, the colors of a theme come from one file, and a phone shows the same elements
 * again. So outside full runs, screens take turns.
 */
async function everyLook(page: Page, within?: string): Promise<string[]> {
  const found = await oneLook(page, { within })
  const turn = looks++ % 3
  const themes = [{ colorScheme: 'dark' }, { colorScheme: 'dark', contrast: 'more' }] as const
  for (const [index, theme] of themes.entries()) {
    if (!full && turn !== index) continue
    await page.emulateMedia(theme)
    found.push(...(await oneLook(page, { rule: 'color-contrast', within })))
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' })
  }
  await page.setViewportSize({ width: 390, height: 844 })
  // On a phone the colors are those of the first look. Reading them takes most of the time.
  if (full || turn === 2) found.push(...(await oneLook(page, { within, without: full ? undefined : 'color-contrast' })))
  const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  if (tooWide > 0) found.push(`${tooWide} px wider than a phone`)
  await page.setViewportSize({ width: 1200, height: 800 })
  return found
}

interface Look {
  rule?: string
  without?: string | undefined
  within?: string | undefined
}

async function oneLook(page: Page, { rule, without, within }: Look = {}): Promise<string[]> {
  const results = await page.evaluate(
    async ({ options, root }) => {
      const { axe: found } = window as unknown as {
        axe: { run(root: Document | string, options: RunOptions): Promise<AxeResults> }
      }
      // Wait until color transitions end. Another theme is drawn with the next frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined)))
      const { violations } = await found.run(root ?? document, options)
      // Headings in a conversation come from its texts and have their own order. A popup belongs to its button,
      // wherever it is in the document.
      const isFine = (id: string, element: Element | null): boolean =>
        (id === 'heading-order' && element?.closest('.list') != null) ||
        (id === 'region' && element?.closest('[data-radix-popper-content-wrapper]') != null)
      return violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.filter(({ target }) => !isFine(id, document.querySelector(String(target[0])))),
      }))
    },
    {
      root: within,
      options: {
        resultTypes: ['violations'],
        // The content of frames is not ours.
        iframes: false,
        ...(rule !== undefined && { runOnly: { type: 'rule', values: [rule] } }),
        ...(without !== undefined && { rules: { [without]: { enabled: false } } }),
      } satisfies RunOptions as RunOptions,
    },
  )
  return results.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n').slice(1).join(' ')}`),
  )
}
