import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { scriptedModel } from '@troupe/core/testing'
import type { ScriptTurn } from '@troupe/core/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { full } from '../../protocol/testing/test-effort.ts'
import { chatPage } from './testing/chat-page.ts'
import { openWorkspace } from './testing/open-workspace.ts'
import type { TestWorkspace } from './testing/open-workspace.ts'

const chromium = process.env['CHROMIUM_PATH']
const name =
  chromium === undefined
    ? 'pictures that are made (skipped: no Chromium, CHROMIUM_PATH is not set)'
    : 'pictures that are made'

const paint = (model: string): ScriptTurn[] => [
  [{ call: { name: 'ImageGenerate', input: { prompt: 'Quiet hills', model } } }],
  [{ text: 'That was it.' }],
]
const scripts: Record<string, ScriptTurn[]> = {
  'paint twice': [paint('demo/painter')[0]!, paint('demo/painter')[0]!, [{ text: 'Two of them.' }]],
  'paint elsewhere': paint('openai/gpt-image-2'),
  'film nowhere': [[{ call: { name: 'VideoGenerate', input: { prompt: 'Waves' } } }], [{ text: 'No film.' }]],
}

describe.skipIf(chromium === undefined || !full)(name, () => {
  const model = scriptedModel(
    (prompt) => {
      const last = prompt.findLastIndex((message) => message.role === 'user')
      const said = prompt[last]?.content[0] as { text: string }
      return (
        scripts[said.text]?.[prompt.slice(last).filter(({ role }) => role === 'assistant').length] ?? [{ text: 'Yes.' }]
      )
    },
    { provider: 'test', modelId: 'script' },
  )
  let workspace: TestWorkspace
  let provider: http.Server
  const open: http.ServerResponse[] = []
  beforeAll(async () => {
    provider = http.createServer((request, response) => {
      request.resume()
      open.push(response)
    })
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    const baseURL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
    workspace = await openWorkspace(chromium ?? '', {
      // The demo image model serves only the demo.
      models: { 'demo/script': model },
      home: {
        'config.json': JSON.stringify({ model: 'demo/script', providers: { openai: { apiKey: 'sk-test', baseURL } } }),
      },
    })
  })
  afterEach((context) => workspace.closePages(context))
  afterAll(async () => {
    provider.closeAllConnections()
    provider.close()
    await workspace?.close()
  })

  const refuse = (status: number): void => {
    const body = JSON.stringify({ error: { message: `Refused with ${status}.`, type: 'x', code: 'x', param: null } })
    open.shift()?.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }
  const approve = (page: Page) => page.getByRole('button', { name: 'Allow once', exact: true }).click()

  test('they appear only in the card of their tool; each approval is announced', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const heard = await chat.page.evaluateHandle(() => {
      const texts: string[] = []
      const region = document.querySelector('[data-testid="announcer"]') as Element
      new MutationObserver(() => texts.push(region.textContent)).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      })
      return texts
    })
    const cards = chat.page.getByRole('group', { name: 'ImageGenerate: done' })
    await chat.send('paint twice')
    await approve(chat.page)
    await cards.first().getByRole('img', { name: 'Quiet hills' }).waitFor()
    await approve(chat.page)
    await chat.finished()
    await cards.nth(1).getByRole('img', { name: 'Quiet hills' }).waitFor()
    expect(await chat.lastAnswer.locator('.tool').count()).toBe(2)
    const texts = await heard.jsonValue()
    expect(texts.filter((text) => text.trim() === 'A tool call needs your approval.')).toHaveLength(2)
    expect(texts.filter((text) => text.startsWith('Answer finished.'))).toEqual(['Answer finished. Two of them.'])
    await chat.page.reload()
    await cards.nth(1).getByRole('img', { name: 'Quiet hills' }).waitFor()
    expect(await chat.lastAnswer.locator('.tool').count()).toBe(2)
    const shown = cards.first().getByRole('img')
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(512)
  })

  test('generation in progress is shown, and a failure shows the reason and a remedy, later, too', async () => {
    const chat = chatPage(await workspace.sharedPage())
    const card = chat.lastAnswer.getByRole('group', { name: /^ImageGenerate:/ })
    await chat.send('paint elsewhere')
    await approve(chat.page)
    const making = card.getByRole('progressbar', { name: 'Generating with openai/gpt-image-2' })
    await making.waitFor()
    // Progress is unknown, so no value is shown.
    await expect.poll(() => making.getAttribute('value')).toBeNull()
    await card.getByText(/^\d+\.\d s$/).waitFor()
    refuse(402)
    await chat.finished()
    await card.getByText('is out of credit').waitFor()
    await chat.page.reload()
    await card.getByText('is out of credit').waitFor()
    await expect.poll(() => card.innerText()).toContain('Refused with 402.')
    await card.getByRole('button', { name: 'Open model settings' }).click()
    await chat.page.getByRole('dialog', { name: /^Settings/ }).waitFor()
    await chat.page.keyboard.press('Escape')

    for (const [status, sentence, buttons] of [
      [401, 'needs a valid API key', 1],
      [400, 'Try another prompt or model', 0],
    ] as const) {
      await chat.send('paint elsewhere')
      await approve(chat.page)
      await expect.poll(() => open.length).toBe(1)
      refuse(status)
      await chat.finished()
      await card.getByText(sentence).waitFor()
      expect(await card.getByRole('button', { name: 'Open model settings' }).count()).toBe(buttons)
    }
    await chat.send('film nowhere')
    await approve(chat.page)
    await chat.finished()
    await chat.lastAnswer
      .getByRole('group', { name: 'VideoGenerate: failed' })
      .getByText('Connect a provider')
      .waitFor()
  })

  test('there were no errors', () => {
    expect(workspace.complaints).toEqual([])
  })
})
