import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { zh } from '../src/texts/languages/zh.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'languages (skipped: no Chromium)' : 'languages'

const scripts: Record<string, ScriptTurn> = {
  运行: [{ reasoning: '想一想。' }, { call: { name: 'Bash', input: { command: 'touch made.txt' } } }],
  计划: [
    {
      call: {
        name: 'TodoWrite',
        input: { todos: [{ content: '第一步', status: 'completed', activeForm: '第一步' }] },
      },
    },
    { call: { name: 'Read', input: { file_path: 'read-me.txt' } } },
  ],
}

/** Text from others: code, names, the server, models. */
const foreign = [
  'code, kbd, pre, .prose, .path, .badge, .settings-path',
  '.agent-prompt, .provider-name, .model-facts, .settings-sizes',
  '.piece-title, .terminal, .code-lines, .tool-group',
  '.menu-detail, .rule-file, .workspace-path, .first-run b, noscript',
].join(', ')

/** Finds two consecutive English words in visible or spoken text, outside of text from others. */
const english = (page: Page) =>
  page.evaluate((skipped) => {
    const found = new Set<string>()
    const look = (text: string | null, element: Element | null) => {
      if (text === null || element?.closest(skipped) != null) return
      const ours = text.replaceAll(/troupe doctor|npm (?:run|install|test)|git push|touch made|Read read-me/g, '')
      if (/[A-Za-z]{2,}[,;:]? [a-z]{2,}/.test(ours)) found.add(text.replaceAll(/\s+/g, ' ').trim().slice(0, 80))
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode() !== null) look(walker.currentNode.nodeValue, walker.currentNode.parentElement)
    for (const element of document.body.querySelectorAll('*'))
      for (const attribute of ['aria-label', 'title', 'placeholder', 'alt'])
        look(element.getAttribute(attribute), element)
    return [...found]
  }, foreign)

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  /** Shared by all tests until one fails. */
  let opened: Page | undefined
  let left: Record<string, string[]> = {}
  const chinesePage = async (): Promise<Page> => {
    if (opened !== undefined) return opened
    opened = await workspace.newPage({ locale: 'zh-CN' })
    await opened.goto(workspace.server().newUrl())
    await opened.getByRole('heading', { name: zh.emptyChat.title }).waitFor()
    return opened
  }
  const walk = async (page: Page, place: string) => {
    const found = await english(page)
    if (found.length > 0) left[place] = found
  }
  beforeAll(async () => {
    const model = scriptedModel(
      (prompt) => {
        const last = prompt.findLastIndex((message) => message.role === 'user')
        const said = prompt[last]?.content.at(-1) as { text: string } | undefined
        return (last === prompt.length - 1 ? scripts[said?.text ?? ''] : undefined) ?? [{ text: '好了。' }]
      },
      { provider: 'test', modelId: 'script' },
    )
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'read-me.txt': 'hello\n' },
      home: { 'config.json': JSON.stringify({ model: 'test/script', permissions: { deny: ['Read(.env)'] } }) },
    })
  })
  beforeEach(() => {
    left = {}
  })
  afterEach(async (context) => {
    if (context.task.result?.state !== 'fail') return
    await workspace.closePages(context)
    opened = undefined
  })
  afterAll(() => workspace?.close())

  test('in Chinese no English of ours is left in the chat, its cards and its menus', async () => {
    const page = await chinesePage()
    const field = page.getByRole('textbox', { name: zh.composer.message, exact: true })
    await walk(page, 'the first screen')
    await page.getByRole('button', { name: /^模型：/ }).click()
    await page.getByRole('combobox', { name: zh.models.search }).waitFor()
    await walk(page, 'the model picker')
    await page.getByRole('option', { name: /^演示导览/ }).click()
    await page.getByRole('list', { name: zh.emptyChat.examples }).getByRole('button').first().waitFor()
    await walk(page, 'the demo')
    await page.getByRole('button', { name: /^模型：/ }).click()
    await page.getByRole('option', { name: /^script/ }).click()
    await page.getByRole('button', { name: /^模式：/ }).click()
    await page.getByRole('menuitemradio').first().waitFor()
    await walk(page, 'the mode picker')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^智能体：/ }).click()
    await page.getByRole('menuitemradio').first().waitFor()
    await walk(page, 'the agent picker')
    await page.keyboard.press('Escape')
    await field.fill('运行')
    await field.press('Enter')
    await page.getByRole('button', { name: zh.inbox.approve, exact: true }).waitFor()
    await walk(page, 'an approval')
    await page.keyboard.press('Control+i')
    await page.getByRole('dialog').waitFor()
    await walk(page, 'the inbox')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: zh.inbox.approve, exact: true }).click()
    await page.getByText('好了。', { exact: true }).waitFor()
    await walk(page, 'an answer')
    await field.fill('计划')
    await field.press('Enter')
    await page.getByText('好了。', { exact: true }).nth(1).waitFor()
    await walk(page, 'cards')
    await page.getByRole('button', { name: zh.context.title }).click()
    await page.getByRole('region', { name: zh.context.window }).waitFor()
    await walk(page, 'the X-ray')
    await page.keyboard.press('Escape')
    expect(left).toEqual({})
  })

  test('exports use the language of the page', async () => {
    const page = await chinesePage()
    const { store, workspace: own } = workspace.server()
    const at = { sessionId: `s${Date.now()}` }
    await store.sessions.create({ id: at.sessionId, workspaceId: own.id, title: at.sessionId })
    await store.messages.add(at, {
      id: 'u',
      parentMessageId: null,
      role: 'user',
      parts: [{ type: 'text', text: '想' }],
      createdAt: 1,
    })
    await store.messages.add(at, {
      id: 'a',
      parentMessageId: 'u',
      role: 'assistant',
      parts: [{ type: 'reasoning', text: '想一想。' }],
      createdAt: 2,
    })
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    const session = page.getByRole('navigation').getByRole('button', { name: zh.sessions.moreFor(at.sessionId) })
    await session.click()
    await page.getByRole('menuitem', { name: zh.sessions.export }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: zh.sessions.exportHtml }).click()
    const file = Buffer.concat(await Array.fromAsync(await (await download).createReadStream())).toString()
    expect(file).toContain('<html lang="zh">')
    expect(file).toMatch(/<h2>你 · [^]*<summary>思考过程<\/summary>[^]*>播放<\/button>/)
  })

  test('nor in the settings', async () => {
    const page = await chinesePage()
    // scripts/texts.test.ts finds texts of the page in every section. Here every third one is drawn.
    const titles = Object.values(zh.settings.sections).filter((_, index) => full || index % 3 === 0)
    for (const title of titles) {
      if (!(await page.getByRole('dialog').isVisible()))
        await page.evaluate(() => void (window.location.hash = '#settings'))
      await page.getByRole('dialog').getByRole('link', { name: title, exact: true }).click()
      await page.getByRole('heading', { name: title }).first().waitFor()
      await expect.poll(() => page.getByText(zh.ui.loading).count()).toBe(0)
      await walk(page, title)
    }
    expect(left).toEqual({})
    expect(workspace.complaints).toEqual([])
  })
})
