import type { LanguageModelV4 } from '@ai-sdk/provider'
import { getTools, type ToolContext } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createModels } from '../models/models.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

const apiKey = 'canary-key-0123456789'
const pages = [
  { url: 'https://nodejs.org/en/blog', title: 'Node.js blog', quote: 'Node 24 is out.' },
  { url: 'https://example.com/news', title: 'News' },
]
const turn = { text: 'Node 24 came out in May.', search: { query: 'node 24', pages } }

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
beforeEach(() => server.clear())
afterAll(() => server.close())

/** Model, the search tool its provider must receive, and the tool with a host filter. */
const searching: [WireProvider, string, object, object][] = [
  [
    'anthropic',
    'wire-1',
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
    { allowed_domains: ['nodejs.org'] },
  ],
  ['openai', 'wire-1', { type: 'web_search' }, { filters: { allowed_domains: ['nodejs.org'] } }],
  ['google', 'gemini-2.5-flash', { googleSearch: {} }, {}],
  ['xai', 'wire-1', { type: 'web_search' }, { allowed_domains: ['nodejs.org'] }],
  [
    'vercel',
    'anthropic/wire-1',
    { type: 'provider', id: 'anthropic.web_search_20250305', name: 'web_search', args: { maxUses: 3 } },
    { args: { maxUses: 3, allowedDomains: ['nodejs.org'] } },
  ],
]

describe.each(searching)('%s', (provider, name, tool, restricted) => {
  test('searches with its own tool when no search is set up', async () => {
    server.play({ turn })
    const { output, text } = await search({ query: 'node 24' }, await model(provider, name))
    const body = server.requests[0]!.body as { tools: unknown[] }
    expect(body.tools).toEqual([tool])
    expect(JSON.stringify(body)).toContain('Search the web for: node 24')
    expect(output).toMatchObject({ model: `${provider}/${name}`, answer: turn.text, usage: { inputTokens: 120 } })
    expect(output.results?.map(({ title, url }) => ({ title, url }))).toEqual(
      pages.map(({ title, url }) => ({ title, url })),
    )
    expect(text).toMatch(
      /^Node 24 came out in May\.\n\nSources:\n\n1\. Node\.js blog\n {3}https:\/\/nodejs\.org\/en\/blog/,
    )
  })

  test('uses only the requested hosts', async () => {
    server.play({ turn })
    const { output } = await search({ query: 'x', domains: ['nodejs.org'] }, await model(provider, name))
    expect((server.requests[0]!.body as { tools: unknown[] }).tools[0]).toMatchObject(restricted)
    expect(output.results).toHaveLength(1)
    expect(output.results?.[0]).toMatchObject({ url: 'https://nodejs.org/en/blog' })
  })

  test('reports a refusal, and how to set up another search provider', async () => {
    server.play({ fault: 'refused' })
    const failed: unknown = await search({ query: 'x' }, await model(provider, name)).catch((error: unknown) => error)
    expect(String(failed)).toMatch(/refused the request \(400\).*"search": \{"provider": "brave"/)
    expect(String(failed)).not.toContain(apiKey)
  })

  test('an answer without a source is not a result', async () => {
    server.play({ turn: { text: 'From memory: yes.' } })
    const { output, text } = await search({ query: 'x' }, await model(provider, name))
    expect(output).toMatchObject({ results: [] })
    expect(text).toBe('No results for "x". Try other words.')
  })
})

test('the quotes of a page are the text of its result', async () => {
  server.play({ turn })
  const { output } = await search({ query: 'x' }, await model('anthropic', 'wire-1'))
  expect(output.results?.map((result) => result.text)).toEqual(['Node 24 is out.', ''])
})

test('a Google result is named by its title, because its URL is a redirect', async () => {
  const url = 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/abc'
  server.play({ turn: { text: 'Yes.', search: { query: 'x', pages: [{ url, title: 'nodejs.org' }] } } })
  const { output } = await search({ query: 'x', domains: ['nodejs.org'] }, await model('google', 'gemini-2.5-flash'))
  expect(output.results).toEqual([{ title: 'nodejs.org', url, text: '' }])
})

test('a search that failed at the provider is an error', async () => {
  server.play({ turn: { text: 'Sorry.', search: { query: 'x', pages: [], error: 'max_uses_exceeded' } } })
  await expect(search({ query: 'x' }, await model('anthropic', 'wire-1'))).rejects.toThrow(
    /failed: .*max_uses_exceeded/,
  )
})

test('a stop ends the search', async () => {
  server.play({ fault: 'stall-start' })
  const stop = new AbortController()
  const arrived = server.nextRequest()
  const failed = search({ query: 'x' }, await model('anthropic', 'wire-1'), { signal: stop.signal })
  await arrived
  stop.abort(new Error('stopped by the person'))
  await expect(failed).rejects.toThrow('stopped by the person')
})

test.each([
  ['custom', 'wire-1'],
  ['deepseek', 'wire-1'],
  ['vercel', 'zai/glm-5.3'],
] as [WireProvider, string][])(
  '%s/%s has no search, and the result explains how to set one up',
  async (provider, name) => {
    const { output, text } = await search({ query: 'x' }, await model(provider, name))
    expect(output.results).toBeUndefined()
    expect(text).toMatch(/^Web search is not set up\. The user can set it up in config\.json/)
    expect(server.requests).toEqual([])
  },
)

test('a search provider in the settings wins over the model’s search', async () => {
  const settings = (name: string): unknown => (name === 'search' ? { provider: 'brave' } : undefined)
  const failed = search({ query: 'x' }, await model('anthropic', 'wire-1'), { settings })
  await expect(failed).rejects.toThrow('needs an apiKey')
  expect(server.requests).toEqual([])
})

interface Output {
  results?: { title: string; url: string; text: string }[]
  answer?: string
}

async function search(
  given: object,
  chatModel: ToolContext['chatModel'],
  more: Partial<ToolContext> = {},
): Promise<{ output: Output; text: string }> {
  const tool = getTools(['WebSearch'])[0]!
  const input: unknown = tool.input.parse(given)
  const output = (await tool.execute(input, testToolContext({ chatModel, ...more }))) as Output
  return { output, text: tool.toModel!(output, input) }
}

async function model(provider: WireProvider, name: string): Promise<{ id: string; model: LanguageModelV4 }> {
  const settings = { [provider]: { baseURL: server.baseURL(provider), apiKey } }
  const models = createModels({ settings: () => settings, env: {}, defaultModel: () => undefined, probe: false })
  const { id, model: resolved } = await models.resolveChatModel(`${provider}/${name}`)
  return { id, model: resolved }
}
