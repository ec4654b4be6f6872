import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { testToolContext } from '../testing/test-tool-context.ts'
import webSearch, { type WebSearchOutput } from './web-search.ts'

interface Received {
  method: string
  path: string
  query: Record<string, string>
  headers: http.IncomingHttpHeaders
  body: string
}

let server: http.Server
let url: string
let received: Received[] = []
let answer: { status?: number; headers?: Record<string, string>; body: string }

beforeAll(async () => {
  server = http.createServer()
  server.on('request', (request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

async function respond(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
  received.push({
    method: request.method ?? '',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body,
  })
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(answer.body)
}
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  received = []
})

async function call(given: Record<string, unknown>, settings: unknown, signal?: AbortSignal) {
  const input = webSearch.input.parse(given)
  const ctx = testToolContext({
    settings: (name) => (name === 'search' ? settings : undefined),
    ...(signal && { signal }),
  })
  const output = (await webSearch.execute(input, ctx)) as WebSearchOutput
  return { output, text: webSearch.toModel!(output, input), display: webSearch.display!(output, input) }
}

test('without a provider, the result explains how to set one up', async () => {
  const { output, text } = await call({ query: 'x' }, undefined)
  expect(output.results).toBeUndefined()
  expect(text).toMatch(
    /^Web search is not set up\. The user can set it up in config\.json as "search": \{"provider": "brave", "apiKey": "…"\} or \{"provider": "searxng", "baseURL": "[^"]+"\} or \{"provider": "tavily", "apiKey": "…"\}\./,
  )
})

test('SearXNG is asked for JSON', async () => {
  answer = {
    body: JSON.stringify({
      query: 'x',
      results: [{ title: 'A', url: 'https://a.example/', content: 'about a', publishedDate: null, engine: 'e' }],
    }),
  }
  const { output, text, display } = await call(
    { query: 'node & co' },
    { provider: 'searxng', baseURL: `${url}/searx/` },
  )
  expect(received).toMatchObject([{ method: 'GET', path: '/searx/search', query: { q: 'node & co', format: 'json' } }])
  expect(output.results).toEqual([{ title: 'A', url: 'https://a.example/', text: 'about a' }])
  expect(text).toBe('1. A\n   https://a.example/\n   about a')
  expect(display).toMatchObject({ summary: '1 result', content: { kind: 'results' } })
})

test('Brave gets its token and the count, and its markup is removed', async () => {
  answer = {
    body: JSON.stringify({
      web: {
        results: [
          {
            title: 'T <b>&amp;</b>',
            url: 'https://b.example/',
            description: 'some <strong>bold</strong> words',
            age: 'May 2, 2025',
          },
        ],
      },
    }),
  }
  const { output } = await call(
    { query: 'x', max_results: 5, domains: ['https://www.b.example/docs'] },
    { provider: 'brave', baseURL: url, apiKey: 'canary-key' },
  )
  expect(received).toMatchObject([
    {
      method: 'GET',
      path: '/web/search',
      query: { q: 'x site:b.example', count: '5' },
      headers: { 'x-subscription-token': 'canary-key' },
    },
  ])
  expect(output.results).toEqual([
    { title: 'T &', url: 'https://b.example/', text: 'some bold words', date: 'May 2, 2025' },
  ])
  answer = { body: '{"type": "search"}' }
  expect((await call({ query: 'zzz' }, { provider: 'brave', baseURL: url, apiKey: 'k' })).text).toContain(
    'No results for "zzz"',
  )
})

test('Tavily gets a body, and the domains in it', async () => {
  answer = {
    body: JSON.stringify({
      results: [
        { title: 'C', url: 'https://docs.c.example/x', content: 'c'.repeat(2000), score: 1 },
        { title: 'D', url: 'https://d.example', content: '' },
        { title: 'E', url: 'javascript:x', content: '' },
      ],
    }),
  }
  const { output } = await call(
    { query: 'x', domains: ['c.example'] },
    { provider: 'tavily', baseURL: url, apiKey: 'canary-key' },
  )
  expect(received).toMatchObject([
    {
      method: 'POST',
      path: '/search',
      headers: { authorization: 'Bearer canary-key', 'content-type': 'application/json' },
    },
  ])
  expect(JSON.parse(received[0]!.body)).toEqual({ query: 'x', max_results: 10, include_domains: ['c.example'] })
  expect(output.results).toHaveLength(1)
  expect(output.results![0]!.text).toHaveLength(601)
})

test('a refusal by the provider says what to change, and never contains the key', async () => {
  const settings = { provider: 'brave', baseURL: url, apiKey: 'canary-key' }
  const failing = async (status: number, body: string, given: object = settings) => {
    answer = { status, body }
    const error: unknown = await call({ query: 'x' }, given).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(String(error) + JSON.stringify(error)).not.toContain('canary-key')
    return (error as Error).message
  }
  expect(await failing(401, 'bad key canary-key')).toContain('It refused the API key')
  expect(await failing(429, '')).toContain('too many requests')
  expect(await failing(503, '')).toContain('may work later')
  expect(await failing(422, 'canary-key is <b>odd</b>')).toContain('It said: … is odd')
  expect(await failing(200, '<html>')).toContain('invalid response')
  expect(await failing(200, '{"web": {"results": "none"}}')).toContain('invalid response')
  expect(await failing(403, '', { provider: 'searxng', baseURL: url })).toContain('formats: [html, json]')
})

test('a redirect is not followed with the key', async () => {
  answer = { status: 302, headers: { location: `${url}/elsewhere` }, body: '' }
  await expect(call({ query: 'x' }, { provider: 'tavily', baseURL: url, apiKey: 'k' })).rejects.toThrow(
    'cannot be reached',
  )
  expect(received).toHaveLength(1)
})

test('invalid settings have distinct errors', async () => {
  await expect(call({ query: 'x' }, { provider: 'altavista' })).rejects.toThrow(
    'There is no search provider "altavista"',
  )
  await expect(call({ query: 'x' }, { provider: 'searxng' })).rejects.toThrow('needs a baseURL')
  await expect(call({ query: 'x' }, { provider: 'brave' })).rejects.toThrow('needs an apiKey')
  await expect(call({ query: 'x' }, { provider: 'searxng', baseURL: 'file:///etc' })).rejects.toThrow('baseURL: ')
  await expect(call({ query: 'x' }, { provider: 'searxng', baseURL: 'http://127.0.0.1:1' })).rejects.toThrow(
    'cannot be reached',
  )
  await expect(call({ query: 'x', domains: ['not a host'] }, { provider: 'searxng', baseURL: url })).rejects.toThrow(
    'is not a host',
  )
})

test('a stop ends the search', async () => {
  const controller = new AbortController()
  controller.abort(new Error('stopped by the person'))
  await expect(call({ query: 'x' }, { provider: 'searxng', baseURL: url }, controller.signal)).rejects.toThrow(
    'stopped by the person',
  )
})
