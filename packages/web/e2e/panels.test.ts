import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { everyTheme } from './testing/axe.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'panels (skipped: no Chromium)' : 'panels'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const patiently = { timeout: 15_000 }
const call = (tool: string, input: object): ScriptTurn[number] => ({ call: { name: tool, input } })
const lines = Array.from({ length: 3000 }, (_, index) => `const line${index + 1} = ${index + 1}`).join('\n')
const change = { file_path: 'small.ts', old_string: 'one', new_string: 'eins' }
const scripts: Record<string, ScriptTurn[]> = {
  'change it': [[call('Read', { file_path: 'small.ts' })], [call('Edit', change)], [{ text: 'Changed.' }]],
  'look around': [
    [call('Read', { file_path: 'long.ts', offset: 2000, limit: 20 }), call('Read', { file_path: 'small.ts' })],
    [call('Edit', change)],
    [
      call('Bash', {
        command: 'echo started; until [ -f go ]; do sleep 0.1; done; echo went on; sleep 100',
        run_in_background: true,
      }),
    ],
    [{ text: 'All of it is there.' }],
  ],
}

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    const model = scriptedModel(
      (prompt) => {
        const last = prompt.findLastIndex((message) => message.role === 'user')
        const said = prompt[last]?.content.at(-1) as { text: string } | undefined
        const step = prompt.slice(last).filter(({ role }) => role === 'assistant').length
        return scripts[said?.text ?? '']?.[step] ?? [{ text: 'Heard.' }]
      },
      { provider: 'test', modelId: 'script' },
    )
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'long.ts': lines, 'small.ts': 'const one = 1\n' },
      // The shell of the terminal reads no startup files of this machine.
      server: { env: { HOME: '/nonexistent', SHELL: '/bin/bash' } },
      home: {
        'config.json': JSON.stringify({ model: 'test/script', permissions: { allow: ['Bash', 'Edit'] } }),
      },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  const stack = (page: Page) =>
    page.getByRole('complementary', { name: 'Panels' }).or(page.getByRole('dialog', { name: 'Panels' }))
  const tabs = (page: Page) => stack(page).getByRole('tablist', { name: 'Panels' })
  const tab = (page: Page, title: string | RegExp) => tabs(page).getByRole('tab', { name: title })
  const screen = (page: Page) => stack(page).locator('.xterm-rows').filter({ visible: true })
  const openButton = (page: Page, card: RegExp, at = 0) =>
    page.getByRole('group', { name: card }).nth(at).getByRole('button', { name: 'Open in panel' })
  const titles = (page: Page) => tabs(page).getByRole('tab').allInnerTexts()
  const faults = (page: Page) =>
    page.evaluate(async () => {
      const { axe: found } = window as unknown as { axe: { run(root: object): Promise<AxeResults> } }
      const { violations } = await found.run({ include: [['.side-panel-stack'], ['.side-panel-resize']] })
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
    })

  test.runIf(full)('results of tool calls open next to the chat, as tabs that work with the keyboard', async () => {
    const page = await workspace.sharedPage({ width: 1440, height: 900 })
    const chat = chatPage(page)
    await chat.ask('look around')
    await chat.openGroups()
    await openButton(page, /^Read/).click()
    // The line that was read is visible, and a file of 3,000 lines does not create 3,000 rows.
    const line = stack(page).getByText('const line2000 = 2000', { exact: true })
    await line.waitFor()
    expect(await stack(page).locator('.cm-line').count()).toBeLessThan(200)
    expect(await stack(page).evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.evaluate(axe)
    expect(await faults(page)).toEqual([])

    await openButton(page, /^Edit/).click()
    await stack(page)
      .getByRole('figure', { name: /Changes in small.ts/ })
      .waitFor()
    await openButton(page, /^Bash/).click()
    const output = screen(page)
    await output.getByText('started').waitFor()
    if (full) expect(await faults(page)).toEqual([])
    expect(await titles(page)).toEqual(['long.ts', 'small.ts', 'Terminal'])

    await tab(page, 'Terminal').focus()
    await page.keyboard.press('ArrowRight')
    await tabs(page).getByRole('tab', { name: 'long.ts', selected: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowRight')
    await tabs(page).getByRole('tab', { name: 'small.ts', selected: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Delete')
    await tab(page, 'small.ts').waitFor({ state: 'detached' })
    expect(await titles(page)).toEqual(['long.ts', 'Terminal'])
    await tabs(page).getByRole('tab', { selected: true }).and(page.locator(':focus')).waitFor()

    await tab(page, 'Terminal').click()
    expect(await output.innerText()).not.toContain('went on')
    await writeFile(path.join(workspace.folder, 'go'), '')
    await output.getByText('went on').waitFor()
    await stack(page).getByRole('button', { name: 'Stop', exact: true }).click()
    await stack(page).getByText('Stopped', { exact: true }).waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test('a terminal is a shell in this folder that survives a reload, is in a second window, and can be left', async () => {
    const page = await workspace.open({ viewport: { width: 1440, height: 900 } })
    const chat = chatPage(page)
    await chat.field.waitFor()
    await page.keyboard.press('Control+`')
    await screen(page).getByText(/\S/).first().waitFor()
    // The prompt of the machine may be long, or anything.
    await page.keyboard.type("PS1='ready> '\n")
    await screen(page)
      .getByText(/^ready>\s*$/)
      .first()
      .waitFor()
    // 24-bit colors and the theme pass the content policy.
    await page.keyboard.insertText("printf '\\e[38;2;1;2;3mdark\\e[0m \\e]0;title\\a\\e[6n%s\\n' small.ts:1; stty size")
    await page.keyboard.press('Enter')
    await screen(page)
      .getByText(/^\d+ \d+$/)
      .first()
      .waitFor()
    // The query for the cursor typed nothing behind the prompt.
    await expect.poll(async () => (await screen(page).innerText()).trimEnd(), patiently).toMatch(/\n\d+ \d+\nready>$/)
    // accessible.test.ts looks at a terminal and at the files in every run.
    if (full) {
      await page.evaluate(axe)
      expect(await faults(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await faults(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
    }

    const other = await page.context().newPage()
    await other.goto(page.url())
    await chatPage(other).field.waitFor()
    await other.keyboard.press('Control+`')
    await screen(other).getByText('small.ts:1').first().waitFor()
    await other.keyboard.insertText('echo from-the-"other"')
    await other.keyboard.press('Enter')
    await screen(page).getByText('from-the-other').waitFor()
    await other.close()

    await page.reload()
    await chat.field.waitFor()
    await page.keyboard.press('Control+`')
    await screen(page).getByText('from-the-other').waitFor()
    await stack(page).locator('.xterm-helper-textarea:focus').waitFor()
    // Tab goes to the shell, so another key leaves it.
    await page.keyboard.press('Control+Shift+X')
    await stack(page).getByRole('tablist', { name: 'Terminals' }).locator('[role=tab]:focus').waitFor()

    await screen(page).getByText('from-the-other').dblclick({ force: true })
    await page.keyboard.press('Alt+q')
    await expect.poll(() => chat.field.inputValue(), patiently).toBe('```text\nfrom-the-other\n```\n\n')
    await stack(page).locator('.xterm-helper-textarea').focus()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.setData('text/plain', 'echo \u202epasted')
      const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      document.activeElement?.dispatchEvent(paste)
    })
    const dialog = page.getByRole('dialog', { name: 'Paste 1 line?' })
    await dialog.getByText('1 hidden or control character removed').waitFor()
    await dialog.getByRole('button', { name: 'Paste', exact: true }).click()
    await screen(page).getByText('echo pasted').waitFor()
    await page.keyboard.press('Control+u')
    await page.keyboard.type('exit\n')
    await stack(page).getByText('No terminals in this folder.').waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)(
    'the stack is kept with its session over a reload: order, pins, width, whether it is hidden',
    async () => {
      const page = await workspace.sharedPage({ width: 1440, height: 900 })
      const chat = chatPage(page)
      await chat.ask('look around')
      await chat.openGroups()
      await openButton(page, /^Read/).click()
      await openButton(page, /^Read/, 1).click()
      await stack(page).getByRole('button', { name: 'Pin', exact: true }).click()
      expect(await titles(page)).toEqual(['small.ts', 'long.ts'])

      const handle = page.getByRole('separator', { name: 'Resize panels' })
      const width = async () => Math.round((await stack(page).boundingBox())?.width ?? 0)
      const before = await width()
      await handle.focus()
      await page.keyboard.press('ArrowLeft')
      await expect.poll(width, patiently).toBe(before + 24)
      const box = await handle.boundingBox()
      await page.mouse.move((box?.x ?? 0) + 1, 400)
      await page.mouse.down()
      await page.mouse.move((box?.x ?? 0) - 99, 420, { steps: 4 })
      await page.mouse.up()
      await expect.poll(width, patiently).toBe(before + 124)

      await page.reload()
      await expect.poll(() => titles(page), patiently).toEqual(['small.ts', 'long.ts'])
      expect(await width()).toBe(before + 124)
      await stack(page).getByText('const eins = 1').or(stack(page).getByText('const one = 1')).waitFor()

      await stack(page).getByRole('button', { name: 'Hide panels' }).click()
      await stack(page).waitFor({ state: 'detached' })
      await page.reload()
      await chat.lastAnswer.getByText('All of it is there.').waitFor()
      await expect.poll(() => stack(page).count()).toBe(0)
      await page.getByRole('button', { name: 'Show 2 panels' }).click()
      await stack(page).waitFor()
      await page.keyboard.press('Escape')
      await stack(page).waitFor({ state: 'detached' })
      await chat.newSession()
      await chat.field.waitFor()
      await expect.poll(() => page.getByRole('button', { name: /Show \d panels/ }).count()).toBe(0)
      expect(workspace.complaints).toEqual([])
    },
  )

  test.runIf(full)('the user opens a file by name, a web page by URL, and running commands', async () => {
    const page = await workspace.sharedPage({ width: 1440, height: 900 })
    const chat = chatPage(page)
    await chat.ask('look around')
    await chat.openGroups()
    await page.keyboard.press('Control+.')
    const field = stack(page).getByRole('textbox', { name: 'File or web address' })
    await field.waitFor()
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
    const choices = stack(page).getByRole('list', { name: 'Matches' }).getByRole('button')
    await choices.filter({ hasText: 'echo started' }).filter({ hasText: 'Running' }).waitFor()
    await field.fill('small')
    await expect.poll(() => choices.allInnerTexts(), patiently).toEqual(['small.ts'])
    await page.keyboard.press('Enter')
    await stack(page)
      .getByText(/const (one|eins) = 1/)
      .waitFor()
    expect(await titles(page)).toEqual(['small.ts'])
    await stack(page).getByRole('button', { name: 'Open panel' }).click()
    await field.fill('nothing:1/x')
    await stack(page).getByText('No matching files.').waitFor()
    await field.fill('example.org:8080/x')
    await choices.filter({ hasText: 'https://example.org:8080/x' }).waitFor()
    await field.fill('localhost:1/x')
    await choices.filter({ hasText: 'http://localhost:1/x' }).click()
    await stack(page).getByText('This page is on your computer. It opens only when you choose to.').waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)('changes are reviewed, commented on, staged and rewound with the keyboard', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: workspace.folder })
    const read = () => readFileSync(path.join(workspace.folder, 'small.ts'), 'utf8')
    await writeFile(path.join(workspace.folder, 'small.ts'), 'const one = 1\n')
    git('init', '-q', '-b', 'main')
    git('add', 'small.ts')
    git('commit', '-qm', 'Start')
    const page = await workspace.sharedPage({ width: 1440, height: 900 })
    const chat = chatPage(page)
    await chat.ask('change it')
    await chat.option('Changes')
    const diff = stack(page).getByRole('group', { name: 'Lines of small.ts' })
    await diff.getByText('eins').waitFor()
    await page.evaluate(axe)
    expect(await faults(page)).toEqual([])
    expect(await everyTheme(page, '.side-panel-stack')).toEqual([])
    await diff.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Comment on line 1 (before)' }).fill('Why in German?')
    await page.keyboard.press('Control+Enter')
    await page.reload()
    await page.getByText('1 comment will be sent with your next message.').waitFor()
    await chat.field.press('Enter')
    await chat.own.getByText('Why in German?').waitFor()
    await chat.finished()

    await stack(page).getByRole('radio', { name: 'This chat' }).focus()
    await page.keyboard.press('ArrowRight')
    await stack(page).getByRole('button', { name: 'Stage: small.ts' }).press('Enter')
    await stack(page).getByRole('region', { name: 'Staged' }).getByText('small.ts').waitFor()
    await page.evaluate(axe)
    expect(await everyTheme(page, '.side-panel-stack')).toEqual([])
    if (full) expect(await faults(page)).toEqual([])

    expect(read()).toBe('const eins = 1\n')
    await chat.own.first().getByRole('button', { name: /More/ }).press('Enter')
    await page.getByRole('menuitem', { name: 'Rewind to here…' }).press('Enter')
    await stack(page).getByRole('button', { name: 'Rewind', exact: true }).waitFor()
    if (full) expect(await faults(page)).toEqual([])
    await stack(page).getByRole('button', { name: 'Rewind', exact: true }).press('Enter')
    await page.getByText('The conversation is rewound.', { exact: false }).waitFor()
    expect(read()).toBe('const one = 1\n')
    await expect.poll(() => chat.field.inputValue(), patiently).toBe('change it')
    await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter')
    await chat.own.first().waitFor()
    await expect.poll(read, patiently).toBe('const eins = 1\n')
    expect(workspace.complaints).toEqual([])
  })

  test('files are found, edited, merged with a change on disk and edited by a model, with the keyboard alone', async () => {
    const page = await workspace.sharedPage({ width: 1440, height: 900 })
    await writeFile(path.join(workspace.folder, 'notes.md'), 'one\ntwo\nthree\n')
    const read = () => readFileSync(path.join(workspace.folder, 'notes.md'), 'utf8')
    await page.keyboard.press('Control+Shift+E')
    const tree = stack(page).getByRole('tree', { name: 'Files' })
    await tree.getByRole('treeitem', { name: /notes\.md/ }).waitFor()
    await page.evaluate(axe)
    if (full) expect(await faults(page)).toEqual([])
    await tree.focus()
    await page.keyboard.type('no')
    await page.keyboard.press('Enter')
    const editor = stack(page).getByRole('textbox', { name: 'Text of notes.md' })
    await editor.getByText('three').waitFor()

    await editor.focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('zero ')
    await tab(page, /● notes\.md/).waitFor()
    await page.keyboard.press('Control+s')
    await expect.poll(read, patiently).toBe('zero one\ntwo\nthree\n')
    await page.keyboard.type('and ')
    await writeFile(path.join(workspace.folder, 'notes.md'), 'zero one\ntwo\nTHREE\n')
    await stack(page).getByText('Both changes fit together and are merged below.').waitFor()
    expect(await everyTheme(page, '.side-panel-stack')).toEqual([])
    if (full) expect(await faults(page)).toEqual([])
    await stack(page).getByRole('button', { name: 'Save merged' }).press('Enter')
    await expect.poll(read, patiently).toBe('zero and one\ntwo\nTHREE\n')

    await editor.focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+k')
    await stack(page).getByRole('textbox', { name: 'What should change in these lines?' }).fill('Say it')
    await page.keyboard.press('Enter')
    await stack(page).getByRole('button', { name: 'Accept all' }).press('Enter')
    await page.keyboard.press('Control+s')
    await expect.poll(read, patiently).toBe('Heard.\ntwo\nTHREE\n')
    await expect.poll(() => editor.evaluate((element) => element.matches(':focus')), patiently).toBe(true)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Control+l')
    const message = page.getByRole('textbox', { name: 'Message', exact: true })
    await expect.poll(() => message.inputValue(), patiently).toBe('@notes.md:1\n```\nHeard.\n```\n\n')
    await message.fill('')
    expect(workspace.complaints).toEqual([])
  })

  // state/panels.test.ts knows narrow screens in every run.
  test.runIf(full)('on a phone it is a sheet over the chat', async () => {
    const page = await workspace.open({ viewport: { width: 390, height: 844 }, hasTouch: true })
    const chat = chatPage(page)
    await chat.ask('look around')
    await chat.openGroups()
    await openButton(page, /^Read/, 1).click()
    await stack(page)
      .getByText(/const (one|eins) = 1/)
      .waitFor()
    expect(await stack(page).boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 844 })
    const isTooWide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.side-panel-stack, .side-panel-stack *')].some(
          (element) => element.getBoundingClientRect().right > window.innerWidth + 1,
        ),
      )
    expect(await isTooWide()).toBe(false)
    await page.keyboard.press('Escape')
    await stack(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    // A reload does not cover the chat with a sheet.
    await page.reload()
    await chat.lastAnswer.getByText('All of it is there.').waitFor()
    await expect.poll(() => stack(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Chat options' }).click()
    await page.getByRole('menuitem', { name: 'Show panel' }).click()
    await stack(page).getByRole('button', { name: 'Close', exact: true }).click()
    await stack(page).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
    expect(workspace.complaints).toEqual([])
  })
})
