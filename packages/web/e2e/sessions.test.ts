import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Part } from '@troupe/protocol'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { hostileVectors } from './testing/hostile-vectors.ts'
import { openWorkspace, type TestWorkspace } from './testing/open-workspace.ts'
import { showChat, storeChat } from './testing/store-chat.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'sessions (skipped: no Chromium, CHROMIUM_PATH is not set)' : 'sessions'
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const fixture = path.resolve(import.meta.dirname, '../../server/src/transfer/import/fixtures/chatgpt.json')

const animals = ['Ants', 'Bees', 'Cats', 'Dogs', 'Eels']

describe.skipIf(chromium === undefined)(name, () => {
  let workspace: TestWorkspace
  beforeAll(async () => {
    workspace = await openWorkspace(chromium ?? '')
  })
  beforeEach(async () => {
    // Switch to a new session first, because the page would notice the deletion of the visible one.
    await workspace.sharedPage()
    const { store, workspace: own, fetch } = workspace.server()
    for (const list of ['sessions', 'sessions?view=archived', 'sessions?view=trashed', 'folders']) {
      const [kind] = list.split('?') as ['sessions' | 'folders']
      const all = (await (await fetch(`/ai/${list}`)).json()) as { [of in typeof kind]: { id: string }[] }
      for (const { id } of all[kind]) await fetch(`/ai/${kind}/${id}`, { method: 'DELETE' })
    }
    for (const [index, title] of animals.entries())
      await store.sessions.create({ id: `s${index}`, workspaceId: own.id, title, createdAt: Date.now() - index * 1000 })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(() => workspace?.close())

  const nav = (page: Page): Locator => page.getByRole('navigation')
  const row = (page: Page, title: string): Locator => nav(page).getByRole('button', { name: title, exact: true })
  const menu = async (page: Page, title: string, ...items: string[]): Promise<void> => {
    await nav(page)
      .getByRole('button', { name: `Options for ${title}`, exact: true })
      .click()
    for (const item of items) await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  const rows = async (page: Page): Promise<string[]> =>
    (await nav(page).locator('.session-title').allTextContents()).map((title) => title.replace(/\(\d+ chats?\)$/, ''))

  const listed = async (expected = animals): Promise<Page> => {
    const page = await workspace.sharedPage()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect.poll(() => rows(page)).toEqual(expected)
    return page
  }

  test.runIf(full)('folders take sessions by menu, drag and keyboard, and give them back', async () => {
    const page = await listed()
    await nav(page).getByRole('button', { name: 'New folder' }).click()
    await page.keyboard.type('Animals')
    await page.keyboard.press('Enter')
    await row(page, 'Animals (0 chats)').waitFor()
    await menu(page, 'Ants', 'Move to folder', 'Animals')
    await row(page, 'Animals (1 chat)').waitFor()
    await expect.poll(() => rows(page)).toEqual(['Animals', 'Ants', 'Bees', 'Cats', 'Dogs', 'Eels'])
    await row(page, 'Bees').dragTo(row(page, 'Animals (1 chat)'))
    await row(page, 'Animals (2 chats)').waitFor()
    // By keyboard only: from the row to its menu, and from there to a new folder.
    await row(page, 'Cats').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const at = (item: string) =>
      page.locator('[role=menuitem][data-highlighted]').getByText(item, { exact: true }).waitFor()
    await at('Pin')
    await page.keyboard.press('m')
    await at('Move to folder')
    await page.keyboard.press('ArrowRight')
    await at('No folder')
    await page.keyboard.press('End')
    await at('New folder')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Folder name' }).waitFor()
    await page.keyboard.type('Pets')
    await page.keyboard.press('Enter')
    await row(page, 'Pets (1 chat)').waitFor()
    await row(page, 'Pets (1 chat)').focus()
    await page.keyboard.press('F2')
    await page.keyboard.type('House')
    await page.keyboard.press('Enter')
    await row(page, 'House (1 chat)').waitFor()
    await page.reload()
    await row(page, 'House (1 chat)').waitFor()
    await expect.poll(() => rows(page)).toEqual(['Animals', 'Ants', 'Bees', 'House', 'Cats', 'Dogs', 'Eels'])
    await page.getByRole('button', { name: 'Options for folder House' }).click()
    await page.getByRole('menuitem', { name: 'Delete folder' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete folder' }).click()
    await row(page, 'House (1 chat)').waitFor({ state: 'detached' })
    await row(page, 'Ants').dragTo(nav(page).getByRole('heading', { name: 'Today' }))
    await row(page, 'Animals (1 chat)').waitFor()
    await expect.poll(() => rows(page)).toEqual(['Animals', 'Bees', 'Ants', 'Cats', 'Dogs', 'Eels'])
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)(
    'pinned chats come first; the archive and the trash keep their chats, and several are moved at once',
    async () => {
      const send = (method: string, at: string, body: object) =>
        workspace
          .server()
          .fetch(at, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
      const made = (await (await send('POST', '/ai/folders', { name: 'Animals' })).json()) as { folder: { id: string } }
      await send('PATCH', '/ai/sessions/s1', { folderId: made.folder.id })
      const page = await listed(['Animals', 'Ants', 'Cats', 'Dogs', 'Eels'])
      await menu(page, 'Eels', 'Pin')
      await nav(page).getByRole('heading', { name: 'Pinned' }).waitFor()
      await menu(page, 'Eels', 'Archive')
      await page.getByText('“Eels” archived.').waitFor()
      await row(page, 'Eels').waitFor({ state: 'detached' })
      await row(page, 'Dogs').click({ modifiers: ['Control'] })
      await row(page, 'Ants').click({ modifiers: ['Shift'] })
      const bar = page.getByRole('toolbar', { name: 'Select chats' })
      await bar.getByText('3 selected').waitFor()
      await bar.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('3 chats moved to trash.').waitFor()
      await expect.poll(() => rows(page)).toEqual(['Animals'])
      const view = async (item: string): Promise<void> => {
        await nav(page).getByRole('button', { name: 'Archive, trash, import' }).click()
        await page.getByRole('menuitem', { name: item, exact: true }).click()
      }
      await view('Trash')
      await row(page, 'Dogs').click()
      await page.getByText('This chat is in the trash.').waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Restore' }).click()
      await row(page, 'Dogs').waitFor({ state: 'detached' })
      await menu(page, 'Cats', 'Delete permanently')
      await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
      await row(page, 'Cats').waitFor({ state: 'detached' })
      await expect.poll(() => rows(page)).toEqual(['Ants'])
      await nav(page).getByRole('button', { name: 'Empty trash' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
      await nav(page).getByText('The trash is empty.').waitFor()
      await nav(page).getByRole('button', { name: 'Back to chats' }).click()
      await view('Archive')
      await row(page, 'Eels').waitFor()
      await menu(page, 'Eels', 'Unarchive')
      await nav(page).getByRole('button', { name: 'Back to chats' }).click()
      await row(page, 'Eels').waitFor()
      await expect.poll(() => rows(page)).toEqual(['Animals', 'Eels', 'Dogs'])
      await row(page, 'Dogs').focus()
      await page.keyboard.press('Delete')
      await page.locator('.notice', { hasText: '“Dogs” moved to trash.' }).getByRole('button', { name: 'Undo' }).click()
      await row(page, 'Dogs').waitFor()
      expect(workspace.complaints).toEqual([])
    },
  )

  test('a ChatGPT export is imported, found by search on its branch, and continued', async () => {
    const page = await listed()
    const chat = chatPage(page)
    await nav(page).getByRole('button', { name: 'Archive, trash, import' }).click()
    await page.getByRole('menuitem', { name: 'Import…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import chats' })
    await dialog.locator('input[type=file]').setInputFiles({ name: 'x.json', mimeType: '', buffer: Buffer.from('no') })
    await dialog.getByRole('alert').getByText('neither JSON nor a zip').waitFor()
    await dialog.locator('input[type=file]').setInputFiles(fixture)
    await dialog.getByText('2 chats added.').waitFor()
    await dialog.getByText('it has no id').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+F')
    // The closed dialog may still give its focus back, so the shortcut's focus is tested elsewhere.
    await nav(page).getByRole('textbox').fill('proof it long')
    await nav(page).getByRole('list', { name: 'Search results' }).getByText('archived').waitFor()
    await nav(page).locator('mark').first().click()
    await chat.lastAnswer.getByText('proof it longer').waitFor()
    await chat.ask('Repeat after me: and the crust?')
    await expect.poll(() => chat.lastAnswer.textContent()).toContain('and the crust?')
    await expect.poll(() => chat.own.first().textContent()).toContain('Why is my loaf so flat?')
    expect(workspace.complaints).toEqual([])
  })

  test('on a phone, Escape clears the search, then closes the list, and the focus stays', async () => {
    const page = await workspace.sharedPage({ width: 390, height: 844 })
    const button = page.getByRole('button', { name: 'Show chats' })
    await button.click()
    await nav(page).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('nav')
    await page.keyboard.press('Escape')
    await nav(page).waitFor({ state: 'hidden' })
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await nav(page).getByRole('textbox').fill('eel')
    await page.keyboard.press('Escape')
    await expect.poll(() => nav(page).getByRole('textbox').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await nav(page).waitFor({ state: 'hidden' })
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)('the URL of a setting or of the inbox keeps the current chat', async () => {
    const page = await listed()
    const chat = chatPage(page)
    const id = await storeChat(workspace.server(), { title: 'In sight', texts: ['Hello', 'in sight'] })
    await showChat(page, id)
    await page.evaluate(() => void (window.location.hash = '#settings/appearance'))
    await page.getByRole('dialog', { name: 'Settings' }).waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe(`#s=${id}&settings/appearance`)
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).hash).toBe(`#s=${id}`)
    await page.evaluate(() => void (window.location.hash = '#inbox'))
    await page.getByRole('dialog', { name: 'Needs your attention' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).hash).toBe(`#s=${id}`)
    await chat.lastAnswer.getByText('in sight').waitFor()
    expect(workspace.complaints).toEqual([])
  })

  test.runIf(full)('the HTML replay runs from disk, sends no requests, and replays the run', async () => {
    const { store, workspace: own } = workspace.server()
    const hostile = hostileVectors.slice(0, 400).join('\n\n')
    const at = { sessionId: 'bad' }
    const headers = { 'content-type': 'image/png' }
    const kept = await workspace.server().fetch('/ai/blobs', { method: 'POST', body: dot, headers })
    const { sha256 } = (await kept.json()) as { sha256: string }
    await store.sessions.create({ id: 'bad', workspaceId: own.id, title: '</title><script>alert(1)</script>' })
    await store.messages.add(at, {
      id: 'u',
      parentMessageId: null,
      role: 'user',
      parts: [{ type: 'text', text: hostile }],
      createdAt: 1,
    })
    await store.messages.add(at, {
      id: 'a',
      parentMessageId: 'u',
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: `thinking ${hostile}` },
        {
          type: 'dynamic-tool',
          toolName: '"><img src=x onerror=alert(1)>',
          toolCallId: 'c',
          state: 'output-available',
          input: { html: hostile },
          output: hostile,
        },
        {
          type: 'tool-ImageGenerate',
          toolCallId: 'c2',
          state: 'output-available',
          input: { prompt: hostile },
          output: {},
          toolMetadata: {
            troupe: {
              display: {
                title: 'x',
                content: { kind: 'media', prompt: '"><b>dot', files: [{ sha256, mediaType: 'image/png' }] },
              },
            },
          },
        } as Part,
        {
          type: 'tool-ChartRender',
          toolCallId: 'c3',
          state: 'output-available',
          input: {
            option: {
              xAxis: { data: [hostile.slice(0, 5000), 'b'] },
              series: [{ name: '<svg onload=alert(1)>', data: [1, 2] }],
            },
          },
          output: {},
        } as Part,
        {
          type: 'tool-JsxCreate',
          toolCallId: 'c4',
          state: 'output-available',
          input:
            '<Card title="&lt;script&gt;alert(1)&lt;/script&gt;"><Image src="data:image/png;base64,AAAA" alt="no picture" /></Card>',
          output: {},
        } as Part,
        { type: 'source-url', sourceId: 's', url: 'javascript:alert(1)', title: hostile.slice(0, 500) },
        { type: 'text', text: 'The **end** of it. '.repeat(40) },
      ],
      createdAt: 2,
    })
    const response = await workspace.server().fetch('/ai/sessions/bad/export?format=html')
    const file = path.join(workspace.folder, 'replay.html')
    await writeFile(file, await response.text())
    const page = await workspace.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    const end = page.getByText('The end of it.').last()
    await end.waitFor()
    await expect.poll(() => page.locator('script').count()).toBe(1)
    expect(
      await page.locator('main').locator('iframe, object, embed, form, svg, style, link, meta, base, b').count(),
    ).toBe(0)
    // The generated image is in the file. A fake image shows nothing and requests nothing.
    expect(
      await page
        .locator('main img')
        .evaluateAll((all) => (all as HTMLImageElement[]).map((img) => [img.src.slice(0, 15), img.naturalWidth])),
    ).toEqual([
      ['data:image/png;', 1],
      ['data:image/png;', 0],
    ])
    await expect.poll(() => page.locator('.made td').last().innerText()).toBe('2')
    const handlers = await page.evaluate(
      () =>
        [...document.querySelectorAll('main *')].flatMap((element) =>
          [...element.attributes].filter(({ name: attribute }) => attribute.startsWith('on') || attribute === 'style'),
        ).length,
    )
    expect(handlers).toBe(0)
    await expect.poll(() => page.locator('a[href]:not([href^="http"])').count()).toBe(0)
    await page.getByRole('slider', { name: 'Position' }).fill('0')
    await end.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Step forward' }).click()
    await page.getByLabel('Speed').selectOption('16')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Play' }).waitFor()
    await end.waitFor()
    await expect.poll(() => page.locator('article').last().locator('section.text strong').count()).toBe(40)
    expect(asked).toEqual([pathToFileURL(file).href])
    expect(workspace.complaints.splice(0).filter((complaint) => !complaint.includes(`request: file:`))).toEqual([])
    const plain = await workspace.newPage({ javaScriptEnabled: false, colorScheme: 'dark' })
    await plain.goto(pathToFileURL(file).href)
    await plain.getByText('The end of it.').last().waitFor()
    await expect.poll(() => plain.locator('#player').isVisible()).toBe(false)
    expect(await readFile(file, 'utf8')).not.toContain('<script>alert')
  })

  test('a message from another browser soon appears in the open chat', async () => {
    const page = await listed()
    await row(page, 'Dogs').click()
    const message = { id: 'woof', role: 'user', parts: [{ type: 'text', text: 'Woof!' }] }
    const response = await workspace.server().fetch('/ai/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: 's3', message }),
    })
    // Before the page reloads everything.
    await expect
      .poll(() => page.getByRole('article', { name: 'You' }).allInnerTexts(), { timeout: 12_000 })
      .toEqual([expect.stringContaining('Woof!')])
    await response.body?.cancel()
    await workspace.server().fetch('/ai/chat/s3/stop', { method: 'POST', body: '{}' })
  })
})
