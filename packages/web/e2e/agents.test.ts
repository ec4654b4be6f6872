import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'settings of agents (skipped: no Chromium)' : 'settings of agents'

const dialog = (page: Page) => page.getByRole('dialog')
const openAgents = async (page: Page) => {
  await page.evaluate(() => void (window.location.hash += '&settings/agents'))
  await dialog(page).getByRole('region', { name: 'Built-in' }).waitFor()
}

describe.skipIf(chromium === undefined || !full)(name, () => {
  /** Answers with its prompt's first line and its available tools. */
  const model = scriptedModel(
    (prompt, _, { tools, temperature }) => {
      const system = prompt.find(({ role }) => role === 'system')?.content as string
      return [
        {
          text: `${system.split('\n', 1)[0]} I have ${tools?.map((tool) => tool.name).join(', ') || 'no tools'}. At ${temperature}.`,
        },
      ]
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      models: { 'test/script': model },
      files: { 'read-me.txt': 'hello\n' },
      home: {
        'config.json': JSON.stringify({ model: 'test/script' }),
        'agents/writer.md': '---\ndescription: writes\n---\nYou write.\n',
        'agents/broken.md': '---\ncolour: red\n---\nYou?\n',
      },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  const stored = async (page: Page, agent: string) =>
    page.evaluate(async (wanted) => {
      const { agents } = (await (await apiFetch('/ai/agents')).json()) as { agents: { name: string }[] }
      return agents.find((one) => one.name === wanted)
    }, agent)

  test('they load on demand, with their source, availability and the reason', async () => {
    const page = await workspace.sharedPage()
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    await page.reload()
    await page.getByRole('button', { name: 'Settings', exact: true }).waitFor()
    expect(loaded.filter((url) => /settings-dialog|agents-section/.test(url))).toEqual([])
    await openAgents(page)
    const builtin = dialog(page).getByRole('region', { name: 'Built-in' })
    await expect
      .poll(() => builtin.getByRole('listitem').filter({ hasText: 'calendar' }).innerText())
      .toContain('do not exist yet')
    await expect.poll(() => dialog(page).getByRole('region', { name: 'From files' }).innerText()).toContain('writer')
    await expect.poll(() => dialog(page).innerText()).toContain('broken.md')
    await builtin.getByRole('button', { name: /^explore/ }).click()
    await expect.poll(() => dialog(page).innerText()).toContain('You explore files')
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Delete' }).count()).toBe(0)
  })

  test('one is created, rejected at its fields until it is valid, tried, edited, turned off and deleted', async () => {
    const page = await workspace.sharedPage()
    const chat = chatPage(page)
    await openAgents(page)
    await dialog(page).getByRole('button', { name: 'New agent' }).click()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    const field = dialog(page).getByLabel('Name', { exact: true })
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
    await field.fill('Explore')
    await dialog(page).getByLabel('Prompt').fill('You review.')
    await dialog(page).getByRole('group', { name: 'Read files' }).getByRole('checkbox', { name: 'Glob' }).check()
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('is the name of a built-in agent').waitFor()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    workspace.complaints.splice(0)

    // A click outside the dialog keeps the text.
    await page.mouse.click(5, 5)
    await page.locator('dialog').waitFor({ state: 'detached' })
    await openAgents(page)
    await dialog(page).getByRole('button', { name: 'New agent' }).click()
    await expect.poll(() => dialog(page).getByLabel('Prompt').inputValue()).toBe('You review.')
    await field.fill('reviewer')
    await dialog(page).getByRole('spinbutton', { name: 'Temperature' }).fill('0.25')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('reviewer saved.').waitFor()
    expect(await stored(page, 'reviewer')).toMatchObject({
      tools: ['Glob'],
      allowedSubAgents: [],
      params: { temperature: 0.25 },
      source: 'database',
    })

    await dialog(page).getByRole('button', { name: 'Try reviewer in a new chat' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Agent: reviewer' }).waitFor()
    expect(await (await chat.ask('hello')).innerText()).toContain('You review. I have Glob. At 0.25.')
    await page.getByText('Agent: reviewer').waitFor()

    await openAgents(page)
    await dialog(page)
      .getByRole('button', { name: /^reviewer/ })
      .click()
    await dialog(page).getByLabel('Prompt').fill('You review twice.')
    await dialog(page).getByRole('group', { name: 'Commands' }).getByRole('checkbox').first().check()
    await dialog(page).getByRole('radio', { name: 'Only these' }).check({ force: true })
    await dialog(page).getByRole('checkbox', { name: 'explore' }).check()
    await dialog(page).getByLabel('Max steps per turn').fill('5000')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    const steps = dialog(page).getByLabel('Max steps per turn')
    await expect.poll(() => steps.getAttribute('aria-invalid')).toBe('true')
    workspace.complaints.splice(0)
    await steps.fill('7')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('reviewer saved.').waitFor()
    expect(await stored(page, 'reviewer')).toMatchObject({
      systemPrompt: 'You review twice.',
      tools: ['Glob', 'shell'],
      allowedSubAgents: ['explore'],
      maxSteps: 7,
    })
    await dialog(page).getByRole('button', { name: 'Turn off reviewer' }).click()
    await dialog(page).getByRole('button', { name: 'Turn on reviewer' }).waitFor()
    expect(await stored(page, 'reviewer')).toMatchObject({ enabled: false })
    await dialog(page)
      .getByRole('button', { name: /^reviewer/ })
      .click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete this agent?' }).getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByText('reviewer deleted.').waitFor()
    expect(await stored(page, 'reviewer')).toBeUndefined()
    expect(workspace.complaints).toEqual([])
  })

  // agent-routes.test.ts and edit-agent-file.test.tsx do this in every run.
  test('a built-in agent or a file is turned off, and edited as your own version', async () => {
    const page = await workspace.sharedPage()
    await openAgents(page)
    const builtin = dialog(page).getByRole('region', { name: 'Built-in' })
    const own = dialog(page).getByRole('region', { name: 'In this folder' })
    await expect.poll(() => builtin.getByRole('button', { name: /^Turn (on|off) (master|calendar)/ }).count()).toBe(0)
    await builtin.getByRole('button', { name: 'Turn off explore' }).click()
    await builtin.getByRole('button', { name: 'Turn on explore' }).waitFor()
    expect(await stored(page, 'explore')).toMatchObject({ enabled: false, turnedOff: true, source: 'built-in' })
    const config = await readFile(path.join(workspace.server().home.path, 'config.json'), 'utf8')
    expect(JSON.parse(config)).toMatchObject({ model: 'test/script', disabledAgents: ['explore'] })
    await builtin.getByRole('button', { name: /^explore/ }).click()
    await dialog(page).getByRole('button', { name: 'Turn on' }).click()
    await dialog(page).getByRole('button', { name: 'Turn off' }).waitFor()
    await dialog(page).getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog(page).getByText('one prompt for all languages').waitFor()
    await dialog(page).getByLabel('Prompt').fill('You explore my way.')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('explore saved.').waitFor()
    expect(
      await builtin
        .getByRole('listitem')
        .filter({ hasText: /^explore/ })
        .innerText(),
    ).toContain('Overridden')
    await own.getByRole('button', { name: /^explore ?your version/ }).click()
    await dialog(page).getByText('Delete it to restore the original').waitFor()
    await expect.poll(() => dialog(page).getByLabel('Prompt').inputValue()).toBe('You explore my way.')
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete this agent?' }).getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByText('explore deleted.').waitFor()
    expect(await stored(page, 'explore')).toMatchObject({ enabled: true, source: 'built-in' })
    expect(workspace.complaints).toEqual([])
  })

  test('a new chat uses the chosen agent, and shows it', async () => {
    const page = await workspace.sharedPage({ width: 390, height: 844 })
    const chat = chatPage(page)
    await page.getByRole('button', { name: 'Agent: master' }).click()
    await page.getByRole('menuitemradio', { name: /^writer/ }).click()
    await page.getByRole('button', { name: 'Agent: writer' }).waitFor()
    expect(await (await chat.ask('hello')).innerText()).toContain('You write. I have no tools.')
    await page.reload()
    await page.getByText('Agent: writer').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Agent:/ }).count()).toBe(0)
    await chat.option('New chat')
    await page.getByRole('button', { name: 'Agent: master' }).waitFor()
    expect(workspace.complaints).toEqual([])
  })
})
