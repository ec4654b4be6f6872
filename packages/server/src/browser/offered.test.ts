import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readChat, testServer, type TestServer } from '../testing/test-server.ts'
import { openTestSite, type TestSite } from '../testing/test-site.ts'
import { findChromium } from './find-chromium.ts'

interface Agents {
  agents: { name: string; enabled: boolean; note?: string }[]
}

const browserTools = async (server: TestServer): Promise<string[]> => {
  const { body } = await server.json<{ tools: { name: string }[] }>('/ai/tools')
  return body.tools.map((tool) => tool.name).filter((name) => name.startsWith('Browser'))
}
const browserAgent = async (server: TestServer) =>
  (await server.json<Agents>('/ai/agents')).body.agents.find(({ name }) => name === 'browser')

test('without Chromium, models do not get the tools, and the agent says what to install', async () => {
  const server = await testServer({ config: { browser: { path: '/nowhere/chromium' } } })
  expect(await browserTools(server)).toEqual([])
  expect(await browserAgent(server)).toMatchObject({
    enabled: false,
    note: expect.stringContaining('Chromium was not found. Install Chromium') as string,
  })
  await server.close()
})

const executable = findChromium(process.env)
const name = executable === undefined ? 'with a Chromium (skipped: there is none)' : 'with a Chromium'

describe.skipIf(executable === undefined)(name, () => {
  let site: TestSite
  let server: TestServer
  beforeAll(async () => {
    site = await openTestSite({
      '127.0.0.1/':
        '<title>Shop</title><button onclick="document.title = \'Bought \' + ++n">Buy</button><script>n = 0</script>',
    })
    server = await testServer({
      env: { CHROMIUM_PATH: executable ?? '' },
      config: {
        browser: { allow: [`127.0.0.1:${site.port}`] },
        permissions: { allow: ['WebFetch(domain:127.0.0.1)'] },
      },
    })
  })
  afterAll(async () => {
    await server.close()
    await site.close()
  })

  test('the agent has its tools; reading follows a rule, acting asks and is remembered by host; nothing is left behind', async () => {
    expect(await browserTools(server)).toEqual([
      'BrowserAct',
      'BrowserExtract',
      'BrowserObserve',
      'BrowserSnapshot',
      'BrowserWait',
    ])
    expect(await browserAgent(server)).toMatchObject({ enabled: true })
    const url = site.url('127.0.0.1/')
    const act = { call: { name: 'BrowserAct', input: { url, action: 'click', ref: 'e2' } } }
    server.script('buy', [[{ call: { name: 'BrowserSnapshot', input: { url } } }], [act], [{ text: 'Bought.' }]])
    server.script('again', [[act], [{ text: 'Bought again.' }]])
    await server.chat('shop', 'buy')
    const { asks } = (await server.json<{ asks: { id: string }[] }>('/ai/asks')).body
    expect(asks).toMatchObject([
      {
        title: 'Interact with a web page',
        summary: url,
        content: `Click button "Buy" [ref=e2]\nin ${url}`,
        reason: 'BrowserAct can make changes on 127.0.0.1.',
        remember: ['BrowserAct(domain:127.0.0.1)'],
      },
    ])
    const answer = { type: 'approve', remember: 'session' }
    expect(await server.json(`/ai/asks/${asks[0]!.id}`, { body: { answer } })).toMatchObject({ status: 200 })
    await readChat(await server.request('/ai/chat/shop/stream'))
    const { message } = await server.chat('shop', 'again')
    expect(message.parts.at(-1)).toMatchObject({ text: 'Bought again.' })
    expect(JSON.stringify(message.parts)).toContain('Title: Bought 2')
    const profiles = path.join(server.homePath, 'browser')
    expect(readdirSync(profiles)).toHaveLength(1)
    await server.json('/ai/sessions/shop', { method: 'DELETE' })
    await vi.waitUntil(() => !existsSync(profiles) || readdirSync(profiles).length === 0, { timeout: 25_000 })
  })
})
