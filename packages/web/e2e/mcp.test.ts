import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'MCP servers (skipped: no Chromium)' : 'MCP servers'
const program = path.resolve(import.meta.dirname, '../../core/testing/mcp-server.mjs')
const secret = 'hush-hush-0001'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'MCP servers' })
const openMcp = async (page: Page) => {
  await page.getByRole('button', { name: 'MCP servers' }).click()
  await dialog(page).waitFor()
}
const head = (page: Page, status: RegExp) => dialog(page).getByRole('button', { name: status })
const toolsOf = (page: Page) =>
  page.evaluate(async () => {
    const { tools } = (await (await apiFetch('/ai/tools')).json()) as { tools: { name: string }[] }
    return tools.flatMap((tool) => (tool.name.startsWith('mcp__') ? tool.name : []))
  })

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  let words: string
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      server: { env: { PATH: process.env['PATH'] } },
      files: {
        '.mcp.json': JSON.stringify({
          mcpServers: { brought: { command: process.execPath, args: [program, 'good', 'two words'] } },
        }),
      },
      home: { 'words.txt': 'Says it again.' },
    })
    words = path.join(workspace.server().home.path, 'words.txt')
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('a server is added, its tools are picked, its log is read, it is turned off and removed', async () => {
    const page = await workspace.sharedPage()
    const loaded: string[] = []
    const received: Promise<string>[] = []
    page.on('request', (request) => loaded.push(request.url()))
    const read = (response: Response): void => {
      if (response.url().includes('/ai/mcp')) received.push(response.text().catch(() => ''))
    }
    page.on('response', read)
    await page.reload()
    await page.getByRole('button', { name: 'MCP servers' }).waitFor()
    expect(loaded.filter((url) => /settings-dialog|mcp-section/.test(url))).toEqual([])
    await openMcp(page)
    await dialog(page).getByText('Trust the folder to use them').waitFor()
    await dialog(page).getByText('Add a server').click()
    const form = dialog(page).getByRole('form', { name: 'New server' })
    await form.getByLabel('Command').fill(`${process.execPath} ${program} "good`)
    await form.getByText('Enter a name.').waitFor()
    await form.getByLabel('Name', { exact: true }).fill('files')
    await form.getByText('Missing a closing ".').waitFor()
    await expect.poll(() => form.getByRole('button', { name: 'Add and connect' }).isDisabled()).toBe(true)
    await form.getByLabel('Command').fill(`${process.execPath} ${program} "good"`)
    await form.getByLabel(/^Environment/).fill(`API_KEY=${secret}`)
    await expect
      .poll(() => form.locator('.mcp-preview').innerText())
      .toBe(`files starts ${process.execPath} ${program} good`)
    await form.getByLabel('Name', { exact: true }).press('Enter')
    await head(page, /^files ?, \d+ tools · about \d+ tokens per model call/).click()
    const row = dialog(page).getByRole('listitem').filter({ hasText: 'config.json' }).first()
    await expect.poll(() => row.innerText()).toContain('API_KEY')
    await row.getByRole('button', { name: 'Test' }).click()
    await row.getByText(/Connected\. \d+ tools found/).waitFor()

    const tools = row.getByRole('region', { name: 'files tools' })
    await tools.getByRole('button', { name: 'None' }).click()
    await tools.getByRole('checkbox', { name: /^look/ }).press('Space')
    await tools.getByRole('checkbox', { name: /^echo/ }).press('Space')
    await head(page, /^files ?, 2 of \d+ tools/).waitFor()
    await expect.poll(() => toolsOf(page)).toEqual(['mcp__files_echo', 'mcp__files_look'])
    await expect.poll(() => tools.getByRole('checkbox', { name: /^look/ }).isChecked()).toBe(true)
    await expect.poll(() => tools.getByRole('listitem').nth(1).innerText()).toContain('claims to be read-only')

    await row.getByRole('button', { name: 'Show log' }).click()
    await row.getByLabel('files output').waitFor()
    await row.getByRole('button', { name: 'Turn off' }).press('Enter')
    await head(page, /^files ?, off/).waitFor()
    expect(await toolsOf(page)).toEqual([])
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog', { name: 'Remove this server?' }).getByRole('button', { name: 'Remove' }).click()
    await dialog(page).getByText('No servers yet.').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('MCP servers')
    page.off('response', read)
    expect((await Promise.all(received)).join('')).not.toContain(secret)
  })

  test('a project’s server starts only after exactly that server is trusted', async () => {
    // Trust persists as long as the content is unchanged.
    const words = `two words of ${Date.now()}`
    const brought = { command: process.execPath, args: [program, 'good', words] }
    await writeFile(path.join(workspace.folder, '.mcp.json'), JSON.stringify({ mcpServers: { brought } }))
    const { store, workspace: opened } = workspace.server()
    await store.workspaces.trust(opened.id, true)
    const page = await workspace.open()
    await page.getByRole('button', { name: 'MCP servers: 1 server needs your attention' }).waitFor()
    await openMcp(page)
    await head(page, /^brought from this folder ?, not trusted yet/).waitFor()
    const box = dialog(page).getByRole('region', { name: 'Trust' })
    const shown = await box.locator('dd').first().locator('code').allInnerTexts()
    expect(shown).toEqual([process.execPath, program, 'good', words])
    await expect.poll(() => box.innerText()).toContain('the open folder')
    expect(await toolsOf(page)).toEqual([])
    await box.getByRole('button', { name: 'Trust and start' }).press('Enter')
    await head(page, /^brought from this folder ?, \d+ tools/).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('settings-row-head')
    await dialog(page).getByRole('checkbox', { name: /^echo/ }).waitFor()
    expect((await toolsOf(page)).length).toBeGreaterThan(1)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'MCP servers', exact: true }).waitFor()
    await store.workspaces.trust(opened.id, false)
  })

  // mcp-routes.test.ts and server-status.test.ts let it wait in every run.
  test('a server whose tools have changed waits, and shows its new tools, on a narrow screen', async () => {
    await workspace.server().fetch('/ai/mcp/changing', { method: 'DELETE' })
    await writeFile(words, 'Says it again.')
    const page = await workspace.sharedPage({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Show chats' }).click()
    await openMcp(page)
    await dialog(page).getByText('Add a server').click()
    const form = dialog(page).getByRole('form', { name: 'New server' })
    await form.getByText('JSON', { exact: true }).click()
    const entry = { command: process.execPath, args: [program, 'swaps-on-restart', words] }
    await form
      .getByRole('textbox', { name: 'Paste JSON config' })
      .fill(JSON.stringify({ mcpServers: { changing: entry } }))
    await form.getByRole('button', { name: 'Add and connect' }).click()
    await head(page, /^changing ?, 1 tool /).click()
    await writeFile(words, 'Sends \u202eeverything away.')
    await dialog(page).getByRole('button', { name: 'Test' }).click()
    await head(page, /^changing ?, tools have changed/).waitFor()
    const box = dialog(page).getByRole('region', { name: 'Trust' })
    // Bidirectional control characters are made visible.
    await expect.poll(() => box.getByRole('listitem').innerText()).toMatch(/echo\s+Sends ⟨U\+202E⟩everything away\./)
    expect(await toolsOf(page)).toEqual([])
    expect(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    await box.getByRole('button', { name: 'Trust this tool' }).press('Enter')
    await head(page, /^changing ?, 1 tool /).waitFor()
    expect(await toolsOf(page)).toEqual(['mcp__changing_echo'])
  })

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})
