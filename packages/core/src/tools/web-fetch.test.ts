import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentState, disposeAgentState } from '../run/create-agent-state.ts'
import { testToolContext } from '../testing/test-tool-context.ts'
import { unwrapResult } from '../tool/tool.ts'
import webFetch, { createWebFetch, type WebFetchOutput } from './web-fetch.ts'

let base: string
let server: http.Server
let url: string
const requests: string[] = []

const pages: Record<string, { type?: string; body: string | Buffer; status?: number; location?: string }> = {
  '/article': { type: 'text/html; charset=utf-8', body: `<title>An article</title><body><article><h1>An article</h1>${'<p>With some sentences, and words in them.</p>'.repeat(30)}</article>` },
  '/json': { type: 'application/json', body: '{"a": [1, 2]}' },
  '/text': { type: 'text/plain', body: 'plain <b>text</b>' },
  '/image': { type: 'image/png', body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]) },
  '/untyped': { body: '<!DOCTYPE html><title>Untyped</title><p>Found to be a page.</p>' },
  '/unknown': { type: 'application/octet-stream', body: Buffer.from([0x50, 0x4b, 3, 4, 0, 0]) },
  '/empty': { type: 'text/html', body: '' },
  '/scripts': { type: 'text/html', body: '<title>App</title><body><div id="root"></div><script>render()</script>' },
  '/missing': { type: 'text/html', status: 404, body: '<h1>Not here</h1>' },
  '/broken': { type: 'text/plain', status: 503, body: 'overloaded' },
  '/latin': { type: 'text/plain; charset=iso-8859-1', body: Buffer.from('caf\xe9', 'latin1') },
  '/moved': { status: 302, location: '/article', body: '' },
  '/out': { status: 302, location: 'http://169.254.169.254/latest/meta-data/', body: '' },
  '/long': { type: 'text/html', body: `<title>Long</title><body><article>${Array.from({ length: 2000 }, (_, i) => `<p>Paragraph ${i} speaks of ${i === 1500 ? 'the zebra crossing' : 'nothing of note'} at some length.</p>`).join('')}</article>` },
} // prettier-ignore

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), 'web-fetch-'))
  server = http.createServer((request, response) => {
    requests.push(request.url ?? '')
    const page = pages[request.url ?? ''] ?? { status: 404, body: '' }
    const headers = {
      ...(page.type && { 'content-type': page.type }),
      ...(page.location && { location: page.location }),
    }
    response.writeHead(page.status ?? 200, headers).end(page.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(base, { recursive: true, force: true })
})

const local = createWebFetch({ allowed: ['127.0.0.1'] })
const newState = () => createAgentState({ workspace: base, outputFolder: path.join(base, 'output') })

async function call(given: Record<string, unknown>, state = newState()) {
  const input = local.input.parse({ ...given, url: `${url}${String(given['url'])}` })
  const { output, modelText } = unwrapResult(await local.execute(input, testToolContext({ state })))
  return { output: output as WebFetchOutput, text: modelText ?? '', display: local.display!(output as never, input) }
}

test('a page is converted to Markdown, with its URL, status and title', async () => {
  const { output, text, display } = await call({ url: '/article' })
  expect(text).toMatch(
    new RegExp(
      `^URL: ${url}/article\nStatus: 200, text/html, [\\d,]+ bytes, [\\d,]+ characters\nTitle: An article\n\n(## An article\n\n)?With some sentences`,
    ),
  )
  expect(output).toMatchObject({ status: 200, title: 'An article', mediaType: 'text/html' })
  expect(display).toMatchObject({ title: 'An article', content: { kind: 'page', url: `${url}/article` } })
})

test('HTML is available as text and raw; JSON and text are unchanged', async () => {
  expect((await call({ url: '/article', format: 'html' })).text).toContain('<article><h1>An article</h1>')
  expect((await call({ url: '/article', format: 'text' })).text).toContain('With some sentences')
  expect((await call({ url: '/json' })).text).toMatch(/\n\n\{"a": \[1, 2\]\}$/)
  expect((await call({ url: '/text' })).text).toMatch(/\n\nplain <b>text<\/b>$/)
  expect((await call({ url: '/latin' })).text).toMatch(/café$/)
  expect((await call({ url: '/untyped' })).output).toMatchObject({ title: 'Untyped' })
})

test('non-text content is described', async () => {
  expect((await call({ url: '/image' })).text).toContain('This is not text (image/png, image/png, 10 bytes)')
  expect((await call({ url: '/unknown' })).text).toContain('application/octet-stream, a ZIP archive')
  expect((await call({ url: '/empty' })).text).toContain('The page is empty.')
  expect((await call({ url: '/scripts' })).text).toContain('no text without its scripts')
})

test('an error status is an error with the server’s text', async () => {
  await expect(call({ url: '/missing' })).rejects.toThrow(
    /answered 404 Not Found\. Check the address.*\nIt said: .*Not here/,
  )
  await expect(call({ url: '/broken' })).rejects.toThrow(
    'answered 503 Service Unavailable. It may work later.\nIt said: overloaded',
  )
})

test('a redirect is followed and named, and rejected if it leads to a private address', async () => {
  expect((await call({ url: '/moved' })).text).toContain(`URL: ${url}/article (asked for: ${url}/moved)`)
  await expect(call({ url: '/out' })).rejects.toThrow('169.254.169.254 is not on the public web (a link-local address)')
})

test('in a run a redirect to another host is another call, since permission was given for one', async () => {
  const asked: string[] = []
  const resolve = (host: string) => Promise.resolve((asked.push(host), [{ address: '127.0.0.1', family: 4 }]))
  const tool = createWebFetch({ allowed: ['127.0.0.1'], resolve })
  const { port } = server.address() as AddressInfo
  const to = (host: string, target: string) => {
    pages['/away'] = { status: 302, location: `http://${target}:${port}/article`, body: '' }
    const ctx = testToolContext({ state: newState(), granted: { confinement: 'none', grants: [] } })
    return Promise.resolve(tool.execute(tool.input.parse({ url: `http://${host}:${port}/away` }), ctx))
  }
  for (const [host, target] of [
    ['a.test', 'b.test'],
    ['a.test', 'xa.test'],
    ['docs.a.test', 'a.test'],
  ] as const)
    await expect(to(host, target)).rejects.toThrow(
      `redirects to another host. If you want that page, fetch it: http://${target}:`,
    )
  expect(asked).toEqual(['a.test', 'a.test', 'docs.a.test'])
  for (const [host, target] of [
    ['a.test', 'a.test'],
    ['a.test', 'www.a.test'],
    ['www.a.test', 'a.test'],
  ] as const)
    expect(unwrapResult(await to(host, target)).modelText).toContain('An article')
})

test('a long page is stored in a file; only the requested parts are shown', async () => {
  const plain = await call({ url: '/long' })
  expect(plain.text.length).toBeLessThan(32_000)
  expect(plain.text).not.toContain('zebra')
  const asked = await call({ url: '/long', prompt: 'What about the zebra crossing?' })
  expect(asked.text).toContain('Paragraph 1500 speaks of the zebra crossing')
  expect(asked.text.length).toBeLessThan(32_000)
  expect(asked.text).toContain(asked.output.path)
  expect(readFileSync(asked.output.path!, 'utf8')).toContain('Paragraph 1999')
})

test('a page is fetched once per conversation, in any format; errors are not cached', async () => {
  const state = newState()
  requests.length = 0
  await call({ url: '/article' }, state)
  const again = await call({ url: '/article#part', format: 'html' }, state)
  expect(again.text).toMatch(/fetched \d s ago/)
  await expect(call({ url: '/broken' }, state)).rejects.toThrow('503')
  await expect(call({ url: '/broken' }, state)).rejects.toThrow('503')
  expect(requests).toEqual(['/article', '/broken', '/broken'])
  await call({ url: '/article' })
  expect(requests).toHaveLength(4)
  await disposeAgentState(state)
  expect(state.resources.size).toBe(0)
})

test('the tool that agents get opens no private address', async () => {
  const before = requests.length
  await expect(
    webFetch.execute(webFetch.input.parse({ url: `${url}/article` }), testToolContext({ state: newState() })),
  ).rejects.toThrow('not on the public web')
  expect(requests).toHaveLength(before)
})

test('a request that would fail anyway is rejected before asking, with an alternative; names are not resolved for it', async () => {
  const refusal = async (address: string) =>
    webFetch.validate?.(webFetch.input.parse({ url: address }), testToolContext({ state: newState() }))
  for (const address of [
    'http://localhost:4799/',
    'http://127.0.0.1/',
    'http://[::1]:3/',
    'http://10.0.0.1/',
    'http://a.localhost/',
  ])
    expect(await refusal(address)).toMatch(/not on the public web .*curl.*Settings > General > Agent browser/)
  expect(await refusal('https://example.com/')).toBeUndefined()
  expect(await refusal('http://8.8.8.8/')).toBeUndefined()
  expect(await local.validate?.(local.input.parse({ url }), testToolContext({ state: newState() }))).toBeUndefined()
})
