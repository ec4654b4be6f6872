import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'rules and modes (skipped: no Chromium)' : 'rules and modes'

const scripts: Record<string, ScriptTurn> = {
  'look and make': [
    { call: { name: 'Read', input: { file_path: 'read-me.txt' } } },
    { call: { name: 'Bash', input: { command: 'touch made.txt' } } },
  ],
  make: [{ call: { name: 'Bash', input: { command: 'touch made.txt' } } }],
  plan: [{ call: { name: 'ExitPlanMode', input: { plan: 'Dig a bed.' } } }],
}

function script() {
  return scriptedModel(
    (prompt) => {
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const said = prompt[last]?.content.at(-1) as { text: string } | undefined
      return (last === prompt.length - 1 ? scripts[said?.text ?? ''] : undefined) ?? [{ text: 'That is all.' }]
    },
    { provider: 'test', modelId: 'script' },
  )
}

const permissions = { allow: ['Bash(npm test)'], deny: ['Read(.env)'], ask: ['Bash('] }
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Permissions' })
const openRules = async (page: Page) => {
  await page.getByRole('button', { name: /^Permissions/ }).click()
  await dialog(page).getByRole('region', { name: 'Always' }).waitFor()
}
const modeButton = (page: Page) => page.getByRole('button', { name: /^Mode:/ })
const modeOnServer = (page: Page) =>
  page.evaluate(async () => {
    const id = new URLSearchParams(window.location.hash.slice(1)).get('s')
    const { session } = (await (await apiFetch(`/ai/sessions/${id}`)).json()) as { session: { mode: string } }
    return session.mode
  })

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': script() },
      files: { 'read-me.txt': 'hello\n' },
      home: { 'config.json': JSON.stringify({ model: 'test/script', permissions }) },
      server: {
        allowBypass: true,
        sandbox: { text: 'Commands run without a sandbox: bubblewrap is not installed.', fix: 'install bubblewrap' },
      },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  const forget = async (rule: string): Promise<void> => {
    const { fetch } = workspace.server()
    const { rules } = (await (await fetch('/ai/rules')).json()) as { rules: { id: string; text: string }[] }
    for (const each of rules) if (each.text === rule) await fetch(`/ai/rules/${each.id}`, { method: 'DELETE' })
  }

  test('the rules load on demand, with their files and errors', async () => {
    const page = await workspace.sharedPage()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await page.reload()
    await page.getByRole('button', { name: 'Permissions: no sandbox' }).waitFor()
    expect(loaded.filter((url) => /settings-dialog|rules-section/.test(url))).toEqual([])
    await openRules(page)
    const alert = dialog(page).getByRole('alert')
    await expect.poll(() => alert.innerText()).toContain('No sandbox on this computer')
    await expect.poll(() => alert.innerText()).toContain('install bubblewrap')
    const always = dialog(page).getByRole('region', { name: 'Always' })
    await expect.poll(() => always.innerText()).toContain('config.json')
    await expect.poll(() => always.getByRole('listitem').count()).toBe(3)
    await expect
      .poll(() => always.getByRole('listitem').filter({ hasText: 'Bash(' }).first().innerText())
      .toContain('does not end with ")"')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toMatch(/^Permissions/)
  })

  test('a rule is tested on past calls before it is saved, then applies, is revoked and restored', async ({ task }) => {
    await forget('Bash(touch *)')
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.send('look and make')
    await page.getByRole('button', { name: 'Allow once' }).click()
    await chat.finished()
    await openRules(page)
    const broken = dialog(page).getByRole('button', { name: 'Revoke ask Bash(' })
    // An earlier attempt may have revoked it.
    if (task.result?.retryCount === 0 || (await broken.count()) > 0) await broken.click()
    const field = dialog(page).getByRole('textbox', { name: 'Rule', exact: true })
    await field.fill('Bash(touch *')
    await dialog(page).getByRole('alert').filter({ hasText: 'does not end with ")"' }).waitFor()
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await field.fill('Bash(touch *)')
    const trial = dialog(page).getByRole('region', { name: 'Effect on past tool calls' })
    await trial.getByText(/It would have changed \d of the last \d+ tool calls/).waitFor()
    await expect
      .poll(() => trial.getByRole('listitem').first().innerText())
      .toMatch(/ask\s+becomes\s+allow[\s\S]*touch made.txt/)
    await dialog(page).getByText('Deny', { exact: true }).click()
    await trial.getByText(/deny/).first().waitFor()
    await dialog(page).getByText('Allow', { exact: true }).click()
    await dialog(page).getByRole('combobox', { name: 'Scope' }).selectOption('for this folder')
    await field.press('Enter')
    await dialog(page).getByText('Saved: allow Bash(touch *).').waitFor()
    const project = dialog(page).getByRole('region', { name: 'This folder' })
    await expect.poll(() => project.innerText()).toContain('Bash(touch *)')
    await page.keyboard.press('Escape')
    await chat.ask('make')
    await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).count()).toBe(0)

    await openRules(page)
    await dialog(page).getByRole('button', { name: 'Revoke allow Bash(touch *)' }).press('Enter')
    // The focus stays: a second press undoes it.
    await dialog(page).getByRole('button', { name: 'Restore allow Bash(touch *)' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('button', { name: 'Revoke allow Bash(touch *)' }).press('Enter')
    await dialog(page).getByRole('button', { name: 'Restore allow Bash(touch *)' }).waitFor()
    await page.keyboard.press('Escape')
    await chat.send('make')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await chat.finished()
  })

  test('the shortcut cycles through the modes; a new chat starts in the chosen one, an open one changes at once', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    const shown = () => modeButton(page).getAttribute('aria-label')
    await expect.poll(shown).toBe('Mode: Default')
    await chat.field.press('Alt+m')
    await expect.poll(shown).toBe('Mode: Accept edits')
    await chat.field.press('Alt+m')
    await expect.poll(shown).toBe('Mode: Plan')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await chat.ask('hello')
    expect(await modeOnServer(page)).toBe('plan')
    await page.reload()
    await page.getByRole('button', { name: 'Mode: Plan' }).waitFor()
    await chat.field.press('Alt+m')
    await expect.poll(shown).toBe('Mode: Default')
    await expect.poll(() => modeOnServer(page)).toBe('default')
    await modeButton(page).click()
    await expect.poll(() => page.getByRole('menuitemradio').count()).toBe(4)
    await page.getByRole('menuitemradio', { name: /^Plan/ }).click()
    await expect.poll(() => modeOnServer(page)).toBe('plan')
  })

  // mode-in.test.ts and mode-actions.test.ts follow the mode in every run.
  test('an approved plan moves the mode on, and both tabs say so', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await chat.field.press('Alt+m')
    await chat.field.press('Alt+m')
    await chat.send('plan')
    await page.getByText('Dig a bed.').waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Mode: Plan' }).waitFor()
    await page.getByRole('button', { name: 'Start editing' }).click()
    await page.getByRole('button', { name: 'Mode: Accept edits' }).waitFor()
    await other.getByRole('button', { name: 'Mode: Accept edits' }).waitFor()
    await chat.finished()
    expect(await modeOnServer(page)).toBe('accept-edits')
  })

  test('the rules are one step from the mode, fit a narrow screen, and give the focus back to the mode', async () => {
    const page = await workspace.sharedPage({ width: 390, height: 844 })
    await modeButton(page).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Rules and sandbox…' }).press('Enter')
    await dialog(page).getByRole('region', { name: 'Always' }).waitFor()
    const overflow = await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)
    expect(overflow).toBe(0)
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Mode:/)
  })

  test('bypass is chosen by hand, never by the shortcut, and is red everywhere', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    for (const expected of ['Accept edits', 'Plan', 'Default']) {
      await chat.field.press('Alt+m')
      await expect.poll(() => modeButton(page).getAttribute('aria-label')).toBe(`Mode: ${expected}`)
    }
    await modeButton(page).click()
    await page.getByRole('menuitemradio', { name: /^Bypass/ }).click()
    await page.getByText('Runs without asking', { exact: true }).waitFor()
    const red = 'rgb(169, 52, 43)'
    const colours = () =>
      page.evaluate(() => [
        getComputedStyle(document.querySelector('.header') as Element).backgroundColor,
        getComputedStyle(document.querySelector('.composer-box') as Element).borderTopColor,
      ])
    await expect.poll(colours).toEqual([red, red])
    await chat.ask('make')
    expect(await modeOnServer(page)).toBe('bypass')
    await expect.poll(() => page.getByRole('group', { name: 'Bash: done' }).count()).toBe(1)
    await chat.newSession()
    await page.getByRole('button', { name: 'Mode: Default' }).waitFor()
    await expect.poll(() => page.getByText('Runs without asking').count()).toBe(0)
  })

  test('there were no errors', () => {
    // The invalid rule was rejected once, and the server reports the one in its file.
    const complaints = workspace.complaints.filter((text) => !text.startsWith('server:'))
    expect(complaints).toEqual([expect.stringContaining('422')])
  })
})
