import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { wireServer } from '../../server/src/testing/wire-server.ts'
import type { WireServer } from '../../server/src/testing/wire-server.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name = chromium === undefined ? 'attachments (skipped: no Chromium)' : 'attachments'
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(chromium === undefined)(name, () => {
  let wire: WireServer
  let workspace: TestWorkspace
  beforeAll(async () => {
    wire = await wireServer()
    const providers = {
      anthropic: {
        baseURL: wire.baseURL('anthropic'),
        apiKey: 'k',
        models: ['claude-sonnet-4-5', { id: 'blind', tags: ['chat'] }],
      },
    }
    workspace = await openWorkspace(chromium ?? '', { home: { 'config.json': JSON.stringify({ providers }) } })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(async () => {
    await workspace?.close()
    await wire?.close()
  })

  test('files are picked, removed, pasted and sent; the model gets them, and an image is shown, even after a reload', async () => {
    const chat = chatPage(await workspace.open())
    const { page } = chat
    const chips = page.getByRole('list', { name: 'Attached files' })
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: pixel },
      { name: 'notes.md', mimeType: '', buffer: Buffer.from('# The sea is calm') },
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ])
    await page.getByText('“empty.txt” is empty.').waitFor()
    await chips.getByRole('button', { name: 'Remove notes.md' }).click()
    await expect.poll(() => chips.getByRole('listitem').count()).toBe(1)
    await chat.field.evaluate((field) => {
      const data = new DataTransfer()
      data.items.add(new File(['pasted words'], 'pasted.txt', { type: 'text/plain' }))
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })
    await chips.getByText('pasted.txt').waitFor()
    await page.locator('.empty-top').evaluate((element) => {
      const data = new DataTransfer()
      data.items.add(new File(['%PDF-1.4'], 'dropped.pdf', { type: 'application/pdf' }))
      element.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })
    await chips.getByText('dropped.pdf').waitFor()
    const doubt = page.getByText('blind may not support images.')
    const choose = async (model: string) => {
      await page.getByRole('button', { name: /^Model: / }).click()
      await page.getByRole('option', { name: model }).click()
    }
    expect(await doubt.count()).toBe(0)
    await choose('blind')
    await doubt.waitFor()
    await choose('claude-sonnet-4-5')
    await doubt.waitFor({ state: 'detached' })
    wire.play({ turn: { text: 'seen' } })
    await chat.field.fill('look at this')
    await page.waitForFunction(() => document.querySelector('.chip progress') === null)
    await chat.field.press('Enter')
    await chat.lastAnswer.getByText('seen').waitFor()
    await chat.finished()
    await expect.poll(() => chips.count()).toBe(0)
    const sent = JSON.stringify(wire.requests.at(-1)?.body)
    expect(sent).toContain(pixel.toString('base64'))
    expect(sent).toContain('pasted')
    await page.reload()
    const shown = chat.own.locator('img[alt="dot.png"]')
    await shown.waitFor()
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
    await chat.own.getByRole('link', { name: 'pasted.txt' }).waitFor()
    await chat.own.getByRole('link', { name: 'dropped.pdf' }).waitFor()
  })

  test('there were no errors, policy violations or external requests', () => {
    expect(workspace.complaints).toEqual([])
  })
})
