import type { Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { wireServer } from '../../server/src/testing/wire-server.ts'
import type { WireServer } from '../../server/src/testing/wire-server.ts'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'models and keys (skipped: no Chromium)' : 'models and keys'
const key = 'sk-ant-typed-into-the-page-0001'
const soon = { timeout: 15_000 }

describe.skipIf(chromium === undefined || !full)(name, () => {
  let wire: WireServer
  let workspace: TestWorkspace
  beforeAll(async () => {
    wire = await wireServer()
    const many = Array.from({ length: 250 }, (_, index) => `m-${index + 1}`)
    const providers = {
      anthropic: { baseURL: wire.baseURL('anthropic'), models: ['claude-sonnet-4-5'] },
      acme: { baseURL: wire.baseURL('custom'), models: ['large-1', 'small-1'] },
      crowd: { baseURL: wire.baseURL('custom'), models: many },
    }
    workspace = await openWorkspace(chromium ?? '', { home: { 'config.json': JSON.stringify({ providers }) } })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(async () => {
    await workspace?.close()
    await wire?.close()
  })

  test('a key is entered, its model is picked and answers, and the key is never shown again', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const { page } = chat
    const received: Promise<string>[] = []
    const read = (response: Response): void => {
      if (response.url().includes('/ai/providers')) received.push(response.text())
    }
    page.on('response', read)
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('button', { name: 'Connect a model…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Models and keys' })
    await dialog.getByRole('button', { name: /^OpenAI ?, not ready.*GPT models/ }).waitFor()
    await dialog.locator('.connect-key input').fill(key)
    await expect.poll(() => dialog.getByLabel('Provider', { exact: true }).inputValue()).toBe('anthropic')
    await page.keyboard.press('Enter')
    await dialog.getByText('Connected. 1 model.').waitFor()
    await dialog.getByText('key saved · 1 model').waitFor()
    await expect.poll(() => dialog.locator('.connect-key input').inputValue()).toBe('')
    await dialog.getByRole('button', { name: 'Start chatting' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Model: claude/i }).waitFor()
    wire.play({ turn: { text: 'with the key' } })
    expect(await (await chat.ask('hello')).locator('.prose').innerText()).toBe('with the key')
    expect(wire.requests.at(-1)?.headers['x-api-key']).toBe(key)
    page.off('response', read)
    expect((await Promise.all(received)).join('')).not.toContain(key)
  })

  test('another provider is added by its URL with the keyboard on a narrow screen; an invalid URL is reported', async () => {
    for (const id of ['away', 'near-by']) await workspace.server().fetch(`/ai/providers/${id}`, { method: 'DELETE' })
    const { page, ...chat } = chatPage(await workspace.sharedPage({ width: 390, height: 844 }))
    await page.getByRole('button', { name: /^Model:/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).waitFor()
    await page.getByRole('button', { name: 'Connect a model…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Models and keys' })
    await dialog
      .getByRole('button', { name: /^OpenAI/ })
      .first()
      .waitFor()
    await dialog.getByText('Custom provider (OpenAI-compatible)').focus()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Name', { exact: true }).fill('Away')
    await dialog.getByLabel('Base URL', { exact: true }).fill('http://127.0.0.1:1/v1')
    await page.keyboard.press('Enter')
    await dialog.locator('.settings-failure:not(:empty)').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('Near by')
    await dialog.getByLabel('Base URL', { exact: true }).fill(wire.baseURL('custom'))
    await page.keyboard.press('Enter')
    await dialog.getByText(/Connected\. 1 model found/).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
      .toBeLessThanOrEqual(0)
    await expect
      .poll(() => dialog.evaluate((element) => element.scrollWidth - element.clientWidth))
      .toBeLessThanOrEqual(0)
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Model:/)
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).fill('near-by')
    await page.keyboard.press('Enter')
    wire.play({ turn: { text: 'from near by' } })
    expect(await (await chat.ask('hello')).locator('.prose').innerText()).toBe('from near by')
  })

  test('a provider is turned off in its row and on where it is needed; its list of models is changed', async () => {
    await workspace.server().fetch('/ai/providers/acme', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: true, models: ['large-1', 'small-1'] }),
    })
    const chat = chatPage(await workspace.sharedPage())
    const { page } = chat
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    const refs = () =>
      page.evaluate(async () => {
        const { models } = (await (await apiFetch('/ai/models')).json()) as { models: { ref: string }[] }
        return models.map(({ ref }) => ref).filter((ref) => ref.startsWith('acme/'))
      })
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('combobox', { name: 'Search models' }).fill('acme/large-1')
    await page.keyboard.press('Enter')
    wire.play({ turn: { text: 'here' } })
    await chat.ask('hello')
    await page.evaluate(() => void (window.location.hash += '&settings/models/provider-acme'))
    const dialog = page.getByRole('dialog', { name: 'Models and keys' })
    const row = dialog.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^acme/ }) })
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent), soon).toMatch(/^acme/)
    await page.keyboard.press('Enter')
    const list = row.getByLabel('acme models')
    await expect.poll(() => list.inputValue()).toBe('large-1\nsmall-1')
    await list.fill('large-1\nmedium-1, large-1')
    await row.getByRole('button', { name: 'Save and test' }).click()
    await row.getByText(/Connected/).waitFor()
    await expect.poll(() => list.inputValue()).toBe('large-1\nmedium-1')
    expect(await refs()).toEqual(['acme/large-1', 'acme/medium-1'])
    await row.getByRole('button', { name: 'Turn off' }).click()
    await row.getByText('Turned off. Its models are hidden.').waitFor()
    await row.getByRole('button', { name: /^acme ?, not ready.* off$/ }).waitFor()
    expect(await refs()).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Turn on acme' }).click()
    await page.getByText('which is no longer available').waitFor({ state: 'hidden' })
    expect(await refs()).toEqual(['acme/large-1', 'acme/medium-1'])
    wire.play({ turn: { text: 'here again' } })
    expect(await (await chat.ask('and now?')).locator('.prose').innerText()).toBe('here again')
  })

  // model-chooser.test.tsx searches 3,000 models in every run.
  test('a long list of models shows its count, and the search finds any of them', async () => {
    const page = await workspace.sharedPage()
    await page.evaluate(() => void (window.location.hash = '#settings/model-list'))
    const dialog = page.getByRole('dialog', { name: 'All models' })
    const crowd = dialog.getByRole('region', { name: 'crowd' }).getByRole('listitem')
    await expect.poll(() => crowd.count(), soon).toBe(200)
    const total =
      (await dialog
        .getByRole('listitem')
        .filter({ has: page.locator('dl') })
        .count()) + 50
    await dialog.getByText(`${total - 50} of ${total} models`).waitFor()
    await dialog.getByRole('searchbox', { name: 'Search models' }).fill('large')
    await expect.poll(() => crowd.count(), soon).toBe(0)
    const field = dialog.getByRole('searchbox', { name: 'Search settings' })
    await field.fill('crowd/m-250')
    await dialog.getByRole('link', { name: 'm-250 All models' }).waitFor()
    await field.press('Enter')
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset['setting'])
    await expect.poll(focused, soon).toBe('model-crowd/m-250')
    await dialog.getByText(`${total} of ${total} models`).waitFor()
    await page.evaluate(() => void (window.location.hash = '#settings/model-list'))
    await dialog.getByRole('button', { name: 'Show all 250' }).click()
    await expect.poll(() => crowd.count(), soon).toBe(250)
  })

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})
