import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'
import { storeChat } from './testing/store-chat.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'settings (skipped: no Chromium)' : 'settings'
const skill = (named: string) => `---\nname: ${named}\ndescription: About ${named}.\n---\nDo ${named}.`
const dialog = (page: Page) => page.getByRole('dialog', { name: /^(Settings|设置)/ })
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document
    const setting = activeElement?.closest<HTMLElement>('[data-setting]')?.dataset['setting']
    return [activeElement?.tagName, setting]
  })

describe.skipIf(chromium === undefined || !full)(name, () => {
  let workspace: TestWorkspace
  let page: Page
  const patch = (at: string, body: object) =>
    workspace.server().fetch(at, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const goTo = async (at: string) => {
    await page.evaluate((hash) => void (window.location.hash = hash), at === '' ? '' : `#settings/${at}`)
    if (at !== '') await dialog(page).waitFor()
  }
  const focusIs = async (expected: unknown[]) => {
    await expect.poll(() => focused(page), { timeout: 15_000 }).toEqual(expected)
  }
  const close = async () => {
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  }
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '', {
      server: { env: { OPENAI_API_KEY: 'sk-from-the-environment' } },
      home: {
        'config.json': JSON.stringify({ model: 'demo/tour', hooks: { ask: [{ command: 'true', match: 'Bash' }] } }),
        'skills/pdf/SKILL.md': skill('pdf'),
        'skills/bad/SKILL.md': skill('good'),
      },
      files: { 'read-me.txt': 'hello\n' },
    })
  })
  beforeEach(async () => {
    page = await workspace.sharedPage()
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  test('before the first chat, detected models are listed; a click selects one, or the demo', async () => {
    const found = page.getByRole('region', { name: 'Models on this computer' })
    const openai = found.getByRole('button', { name: /^OpenAI.*key from OPENAI_API_KEY/ })
    await openai.click()
    await page.getByRole('button', { name: /^Model: GPT/ }).waitFor()
    await expect.poll(() => openai.getAttribute('aria-pressed')).toBe('true')
    await found.getByRole('button', { name: 'Try the demo' }).click()
    await page.getByRole('button', { name: /^Model: Demo/ }).waitFor()
    await page.getByRole('list', { name: 'Suggestions' }).getByRole('button').first().waitFor()
    await page.setViewportSize({ width: 1024, height: 768 })
    await expect.poll(() => page.locator('.chat').evaluate((at) => at.scrollHeight - at.clientHeight)).toBe(0)
  })

  test('every setting is found and opened with only the keyboard, and has a URL', async () => {
    await page.keyboard.press('Control+,')
    const field = dialog(page).getByRole('searchbox', { name: 'Search settings' })
    await field.waitFor()
    expect(await focused(page)).toEqual(['INPUT', undefined])
    await page.keyboard.insertText('contrast')
    await dialog(page).getByRole('link', { name: 'High contrast Appearance' }).waitFor()
    await page.keyboard.press('Enter')
    await focusIs(['INPUT', 'contrast'])
    await expect.poll(() => page.url()).toMatch(/#settings\/appearance\/contrast$/)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['contrast'])).toBe('more')

    await field.fill('pdf')
    await dialog(page).getByRole('link', { name: 'pdf Skills' }).waitFor()
    await field.press('ArrowDown')
    await page.keyboard.press('Enter')
    await focusIs(['LI', 'skill-pdf'])
    await field.fill('openai')
    await dialog(page).getByRole('link', { name: 'OpenAI Models and keys' }).first().waitFor()
    await field.press('Escape')
    await expect.poll(() => field.inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => new URL(page.url()).hash).toBe('')

    await goTo('data/backup')
    await focusIs(['BUTTON', 'backup'])
    await page.reload()
    await focusIs(['BUTTON', 'backup'])
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['contrast'])).toBe('more')
    await close()
  })

  test('settings in config.json for models, tools, limits, crashes and search are found and changed', async () => {
    const config = async () =>
      JSON.parse(await readFile(path.join(workspace.server().home.path, 'config.json'), 'utf8')) as unknown
    await patch('/ai/config', { recovery: null, useTools: null, limits: null })
    await page.keyboard.press('Control+,')
    const field = dialog(page).getByRole('searchbox', { name: 'Search settings' })
    const find = async (words: string, title: string, setting: string) => {
      await field.fill(words)
      await dialog(page)
        .getByRole('link', { name: `${title} General` })
        .waitFor()
      await field.press('Enter')
      await expect.poll(async () => (await focused(page))[1], { timeout: 15_000 }).toBe(setting)
    }
    await find('default model', 'Default model', 'model')
    const model = dialog(page).getByRole('combobox', { name: 'Default model' })
    const [other] = await model
      .locator('option[value^="openai/"]')
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value))
    await model.selectOption(other ?? '')
    await dialog(page).getByText('Saved.').waitFor()
    expect(await config()).toMatchObject({ model: other, hooks: {} })
    await model.selectOption('demo/tour')
    await find('pictures', 'Image model', 'image')
    await dialog(page).getByRole('combobox', { name: 'Image model' }).selectOption('demo/painter')
    await find('films', 'Video model', 'video')
    await find('tavily', 'Web search', 'search')
    const search = dialog(page).getByRole('form', { name: 'Web search' })
    await search.getByRole('combobox', { name: 'Provider' }).selectOption('brave')
    await search.getByLabel('API key').fill('brave-key-0001')
    await page.keyboard.press('Enter')
    await search.getByText('Saved.').waitFor()
    await expect.poll(() => search.getByLabel('API key').inputValue()).toBe('')
    await find('useTools', 'Allowed tools', 'tools')
    const tools = dialog(page).getByRole('form', { name: 'Allowed tools' })
    await tools.getByRole('radio', { name: 'Only these' }).check({ force: true })
    await tools.getByRole('checkbox', { name: 'Bash', exact: true }).uncheck()
    await tools.getByRole('button', { name: 'Save' }).click()
    await tools.getByText('Saved.').waitFor()
    await find('turn limits', 'Turn limits', 'limits')
    const limits = dialog(page).getByRole('form', { name: 'Turn limits' })
    await limits.getByLabel('Model calls').fill('0')
    await expect.poll(() => limits.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await limits.getByLabel('Model calls').fill('30')
    await page.keyboard.press('Enter')
    await limits.getByText('Saved.').waitFor()
    await find('crash', 'Interrupted runs', 'recovery')
    await page.keyboard.press('ArrowRight')
    await dialog(page).getByText('Saved.').waitFor()
    const written = (await config()) as { useTools: string[] }
    expect(written).toMatchObject({
      model: 'demo/tour',
      media: { image: 'demo/painter' },
      search: { provider: 'brave', apiKey: 'brave-key-0001' },
      limits: { steps: 30 },
      recovery: 'wait',
    })
    expect(written.useTools).toContain('Read')
    expect(written.useTools).not.toContain('Bash')
    await tools.getByRole('radio', { name: 'All' }).check({ force: true })
    await tools.getByRole('button', { name: 'Save' }).click()
    await tools.getByText('Saved.').waitFor()
    expect(await config()).not.toHaveProperty('useTools')
    await close()
  })

  test('the system’s contrast preference applies until the user chooses otherwise', async () => {
    const look = () =>
      page.evaluate(() => {
        const link = document.createElement('a')
        link.href = '#'
        const prose = Object.assign(document.createElement('p'), { className: 'prose' })
        prose.append(link)
        document.body.append(prose)
        link.focus()
        const { textDecorationLine, outlineWidth } = getComputedStyle(link)
        prose.remove()
        return [document.documentElement.dataset['contrast'], textDecorationLine, outlineWidth]
      })
    await page.evaluate(() => localStorage.removeItem('troupe.contrast'))
    await page.reload()
    await page.keyboard.press('Tab')
    for (const media of [{ contrast: 'more' }, { contrast: 'no-preference', forcedColors: 'active' }] as const) {
      await page.emulateMedia(media)
      await expect.poll(async () => (await look())[0]).toBe('more')
      expect(await look()).toEqual(['more', 'underline', '3px'])
    }
    await goTo('appearance/contrast')
    await focusIs(['INPUT', 'contrast'])
    await dialog(page).getByRole('radio', { name: 'Normal' }).first().check({ force: true })
    expect((await look())[0]).toBe('normal')
    await dialog(page).getByRole('radio', { name: 'System' }).nth(1).check({ force: true })
    await page.emulateMedia({ contrast: null, forcedColors: null })
    await expect.poll(async () => (await look())[0]).toBeUndefined()
    await close()
  })

  test('skills are listed with problems, and others are imported after review and trust', async () => {
    const home = path.join(workspace.server().home.path, 'skills', 'csv')
    await rm(home, { recursive: true, force: true })
    await patch('/ai/workspace', { trusted: false })
    const source = path.join(workspace.folder, 'repo', 'csv')
    await mkdir(source, { recursive: true })
    await writeFile(path.join(source, 'SKILL.md'), skill('csv'))
    await goTo('skills')
    const list = dialog(page).getByRole('list', { name: 'Skills', exact: true })
    await list.getByText('About pdf.').waitFor()
    const problems = dialog(page).getByRole('region', { name: 'Couldn’t load' })
    await expect.poll(() => problems.innerText()).toMatch(/bad\/SKILL\.md, line 2\n.*must match/)
    await dialog(page).getByRole('textbox', { name: 'Folder or archive on this computer' }).fill('/nowhere')
    await page.keyboard.press('Enter')
    await dialog(page).getByText('/nowhere does not exist.').waitFor()
    await dialog(page).getByRole('textbox', { name: 'Folder or archive on this computer' }).fill(path.dirname(source))
    await page.keyboard.press('Enter')
    await dialog(page).getByText('1 skill found.').waitFor()
    const archive = path.join(workspace.folder, 'csv.tar')
    execFileSync('tar', ['-cf', archive, '-C', path.dirname(source), 'csv'])
    await dialog(page).locator('input[type=file]').setInputFiles(archive)
    await dialog(page).getByText('1 skill found.').waitFor()
    expect(existsSync(home)).toBe(false)
    await dialog(page).getByRole('button', { name: 'Trust and import' }).click()
    await list.getByText('About csv.').waitFor()
    expect(existsSync(home)).toBe(true)
    await dialog(page).getByRole('link', { name: 'Hooks' }).click()
    await expect
      .poll(() => dialog(page).getByRole('list', { name: 'Hooks' }).innerText())
      .toContain('before you’re asked')
    await dialog(page).getByRole('button', { name: 'Trust this folder' }).click()
    await page.getByRole('dialog', { name: 'Trust this folder?' }).getByRole('button', { name: 'Trust' }).click()
    await dialog(page).getByRole('button', { name: 'Stop trusting' }).waitFor()
    workspace.complaints.splice(0, workspace.complaints.length, ...workspace.complaints.filter(isNotRefused))
  })

  test('data size, backup and diagnostics work; models are listed with their capabilities', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.evaluate(() => void (window.location.hash = '#settings'))
    await dialog(page).getByRole('link', { name: 'Data', exact: true }).click()
    await dialog(page).getByText(workspace.server().home.path, { exact: true }).waitFor()
    await dialog(page).getByRole('button', { name: 'Back up now' }).waitFor()
    const backups = dialog(page).getByRole('list', { name: 'Backups' }).getByRole('listitem')
    const before = await backups.count()
    await dialog(page).getByRole('button', { name: 'Back up now' }).click()
    await dialog(page)
      .getByText(/Backed up to .*backups/)
      .waitFor()
    await expect.poll(() => backups.count()).toBe(before + 1)
    await dialog(page).getByRole('button', { name: 'Run diagnostics' }).click()
    const findings = dialog(page).getByRole('list', { name: 'Results' })
    await findings.getByText('OK: database').waitFor()
    expect(await dialog(page).evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    await dialog(page).getByRole('button', { name: 'All settings' }).click()
    await dialog(page).getByRole('link', { name: 'All models' }).click()
    await dialog(page).getByRole('searchbox', { name: 'Search models' }).fill('demo')
    await dialog(page).getByText('demo/tour').waitFor()
    await expect
      .poll(() => dialog(page).getByRole('listitem').filter({ hasText: 'demo/tour' }).innerText())
      .toContain('tools')
    await dialog(page).getByRole('button', { name: 'All settings' }).click()
    await dialog(page).getByRole('link', { name: 'About' }).click()
    await dialog(page)
      .getByText(/^Troupe \d/)
      .waitFor()
    await dialog(page).getByText('react-dom', { exact: false }).first().waitFor()
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  test('a question mark shows the shortcuts outside of text fields, unless that is turned off', async () => {
    await page.getByRole('textbox', { name: 'Message', exact: true }).press('?')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Settings', exact: true }).focus()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('New chat').waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await goTo('shortcuts/signs')
    await focusIs(['INPUT', 'signs'])
    await page.keyboard.press('Space')
    await close()
    await page.getByRole('button', { name: 'Settings', exact: true }).press('?')
    await expect.poll(() => sheet.count()).toBe(0)
  })

  test('a few letters go to a session, a message in it, a setting or a command', async () => {
    await storeChat(workspace.server(), { title: 'A garden', texts: ['Who is there?', 'a zebra in the garden'] })
    const palette = page.getByRole('dialog', { name: 'Go to anything' })
    await page.keyboard.press('Control+k')
    await palette.getByRole('option', { name: 'New chat' }).waitFor()
    await page.keyboard.type('zebra')
    await palette.getByRole('group', { name: 'Messages' }).getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await palette.waitFor({ state: 'detached' })
    await page.getByRole('article', { name: 'Answer' }).getByText('zebra').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText('text size')
    await palette
      .getByRole('group', { name: 'Settings' })
      .getByRole('option', { name: /^Text size/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await focusIs(['INPUT', 'text'])
    await expect.poll(() => page.url()).toMatch(/#s=.*&settings\/appearance\/text$/)
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText('appearance dark')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  })

  test('another language appears at once, the focus stays, and it is stored', async () => {
    await goTo('language')
    await dialog(page).getByRole('radio', { name: '中文' }).click({ force: true })
    await dialog(page).getByRole('link', { name: '语言' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('zh')
    await focusIs(['INPUT', 'language'])
    await page.reload()
    await dialog(page).getByRole('radio', { name: '中文', checked: true }).waitFor({ state: 'attached' })
    await dialog(page).getByRole('radio', { name: 'English' }).click({ force: true })
    await dialog(page).getByRole('link', { name: 'Language' }).waitFor()
  })

  test('a key is not sent to another server, and allowed addresses of the agent browser are listed', async () => {
    const config = async () =>
      JSON.parse(await readFile(path.join(workspace.server().home.path, 'config.json'), 'utf8')) as unknown
    await goTo('general/search')
    const search = dialog(page).getByRole('form', { name: 'Web search' })
    await search.getByRole('combobox', { name: 'Provider' }).selectOption('tavily')
    await search.getByLabel('API key').fill('tavily-key-0001')
    await page.keyboard.press('Enter')
    await search.getByText('Saved.').waitFor()
    await search.getByLabel('Base URL').fill('https://other.invalid/v1')
    await search.getByText('The saved key is for another server').waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(config).toMatchObject({ search: { provider: 'tavily', baseURL: 'https://other.invalid/v1' } })
    expect(JSON.stringify(await config())).not.toContain('tavily-key')
    const browser = dialog(page).getByRole('form', { name: 'Agent browser' })
    await browser.getByLabel('Allowed local addresses').fill('localhost:5173, 10.0.0.7')
    await browser.getByRole('button', { name: 'Save' }).click()
    await expect.poll(config).toMatchObject({ browser: { allow: ['localhost:5173', '10.0.0.7'] } })
  })

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})

/** Expected rejections are not complaints. */
function isNotRefused(complaint: string): boolean {
  return !complaint.includes('422')
}
