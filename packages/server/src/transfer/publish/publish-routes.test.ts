import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { PublishedChat } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../../testing/test-server.ts'

let server: TestServer
const folder = mkdtempSync(path.join(tmpdir(), 'troupe-publish-'))

beforeAll(async () => {
  server = await testServer({ config: { providers: { openai: { apiKey: 'sk-very-secret-key' } } } })
  server.script('say', [[{ text: 'An answer that mentions sk-very-secret-key.' }]])
  await server.chat('s1', 'say')
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const setTarget = (target: unknown) => server.json('/ai/publish', { method: 'PUT', body: { target } })
const publish = (id = 's1') =>
  server.json<{ published: PublishedChat; error?: { name: string; message: string } }>(`/ai/sessions/${id}/publish`, {
    body: {},
  })

describe('publishing to a folder', () => {
  it('needs a place first', async () => {
    expect(await publish()).toMatchObject({ status: 409, body: { error: { name: 'NoPublishTarget' } } })
  })

  it('writes one page under a name nobody guesses, without keys, and replaces it under the same link', async () => {
    await setTarget({ folder, url: 'https://example.com/chats' })
    const { body } = await publish()
    const { name, url, place } = body.published
    expect(name).toMatch(/^[a-z0-9-]+-[0-9a-f]{20}\.html$/)
    expect(url).toBe(`https://example.com/chats/${name}`)
    const html = readFileSync(place, 'utf8')
    expect(html).toContain('An answer that mentions')
    expect(html).not.toContain('sk-very-secret-key')
    expect((await publish()).body.published.name).toBe(name)
    expect(readdirSync(folder)).toEqual([name])
    expect((await server.json('/ai/sessions/s1/publish')).body).toMatchObject({ published: { name } })
  })

  it('deletes the page, also if somebody else did already', async () => {
    const { place } = (await publish()).body.published
    for (let i = 0; i < 2; i++)
      expect(await server.json('/ai/sessions/s1/publish', { method: 'DELETE' })).toMatchObject({
        status: 200,
        body: { published: null, elsewhere: [] },
      })
    expect(existsSync(place)).toBe(false)
  })

  it('after the setting changes, the old page stays listed and can still be unpublished', async () => {
    const { place, name } = (await publish()).body.published
    const other = mkdtempSync(path.join(tmpdir(), 'troupe-publish-'))
    await setTarget({ folder: other })
    const old = { name, place, url: `https://example.com/chats/${name}` }
    expect(await server.json('/ai/sessions/s1/publish')).toMatchObject({ body: { published: null, elsewhere: [old] } })
    const { published } = (await publish()).body
    expect(published).toMatchObject({ url: null })
    expect((await publish()).body).toMatchObject({ published: { name: published.name }, elsewhere: [old] })
    expect(await server.json('/ai/publish/pages')).toMatchObject({
      body: { pages: [{ ...old, sessionId: 's1', title: 'say' }, { name: published.name }] },
    })
    await server.json(`/ai/publish/pages/${published.name}`, { method: 'DELETE' })
    expect([existsSync(place), existsSync(published.place)]).toEqual([true, false])
    await setTarget(null)
    expect((await server.json('/ai/sessions/s1/publish', { method: 'DELETE' })).body).toEqual({
      published: null,
      elsewhere: [],
    })
    expect(existsSync(place)).toBe(false)
    rmSync(other, { recursive: true })
  })

  it('a change of the setting during a publication leaves no page that cannot be unpublished', async () => {
    const other = mkdtempSync(path.join(tmpdir(), 'troupe-publish-'))
    await setTarget({ folder })
    const [first] = await Promise.all([publish(), setTarget({ folder: other }), publish()])
    expect(first.status).toBe(200)
    await server.json('/ai/sessions/s1/publish', { method: 'DELETE' })
    expect([...readdirSync(folder), ...readdirSync(other)]).toEqual([])
    rmSync(other, { recursive: true })
  })

  it('a chat that is deleted permanently is unpublished', async () => {
    await setTarget({ folder })
    for (const id of ['gone', 'trashed']) await server.chat(id, 'say')
    const places = [(await publish('gone')).body.published.place, (await publish('trashed')).body.published.place]
    expect((await server.json('/ai/sessions/gone', { method: 'DELETE' })).body).toEqual({
      deleted: 'gone',
      stillPublished: [],
    })
    await server.json('/ai/sessions/trashed', { method: 'PATCH', body: { trashed: true } })
    expect(places.map((place) => existsSync(place))).toEqual([false, true])
    await server.json('/ai/trash', { method: 'DELETE' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('says why a folder cannot be written, and leaves no half page', async () => {
    const file = path.join(folder, 'a-file')
    writeFileSync(file, '')
    chmodSync(file, 0o400)
    await setTarget({ folder: path.join(file, 'below') })
    expect(await publish()).toMatchObject({ status: 502, body: { error: { name: 'PublishFailed' } } })
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('refuses a relative folder, both kinds at once, and a chat that does not exist', async () => {
    const bucket = { endpoint: 'http://127.0.0.1:1', region: 'auto', bucket: 'b', accessKeyId: 'k' }
    expect((await setTarget({ folder: 'chats' })).status).toBe(400)
    expect((await setTarget({ folder, bucket: { ...bucket, secretAccessKey: 's' } })).status).toBe(400)
    expect((await setTarget({ bucket })).status).toBe(400)
    expect((await publish('none')).status).toBe(404)
  })
})

describe('publishing to a bucket', () => {
  let service: http.Server
  let endpoint: string
  const received: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[] = []
  let refusal: string | undefined

  beforeAll(async () => {
    service = http.createServer((request, response) => {
      void (async () => {
        let body = ''
        for await (const chunk of request) body += String(chunk)
        received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
        response.writeHead(refusal === undefined ? 200 : 403).end(refusal)
      })()
    })
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    await setTarget({
      url: 'https://cdn.example.com/',
      bucket: {
        endpoint,
        region: 'eu-central-1',
        bucket: 'my-chats',
        prefix: 'team/',
        accessKeyId: 'AKIA1',
        secretAccessKey: 'bucket-secret',
      },
    })
  })
  afterAll(() => service.close())

  it('uploads a signed page and never returns the secret key', async () => {
    const { body } = await publish()
    const { name } = body.published
    expect(body.published).toMatchObject({
      url: `https://cdn.example.com/team/${name}`,
      place: `my-chats/team/${name}`,
    })
    const request = received.at(-1)!
    expect(request).toMatchObject({ method: 'PUT', url: `/my-chats/team/${name}` })
    expect(request.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' })
    expect(request.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA1\/\d{8}\/eu-central-1\/s3\//)
    expect(request.body).toContain('An answer that mentions')
    const shown = await server.json('/ai/publish')
    expect(shown.body).toMatchObject({ target: { bucket: { hasKey: true, accessKeyId: 'AKIA1' } } })
    expect(JSON.stringify(shown.body)).not.toContain('bucket-secret')
  })

  it('keeps the secret key for the same service, and asks for it again for another', async () => {
    const bucket = { endpoint, region: 'eu-central-1', bucket: 'other', accessKeyId: 'AKIA1' }
    expect((await setTarget({ bucket })).status).toBe(200)
    expect((await publish()).status).toBe(200)
    expect((await setTarget({ bucket: { ...bucket, endpoint: 'http://127.0.0.1:9' } })).status).toBe(400)
  })

  it('deletes pages with the key of the same account, and keeps those it has no key for', async () => {
    const key = { endpoint, region: 'eu-central-1', accessKeyId: 'AKIA1' }
    const before = received.length
    await server.json('/ai/sessions/s1/publish', { method: 'DELETE' })
    expect(received.slice(before).map(({ method, url }) => `${method} ${url.split('/')[1]}`)).toEqual([
      'DELETE my-chats',
      'DELETE other',
    ])
    await server.chat('s2', 'say')
    const { place, name } = (await publish('s2')).body.published
    await setTarget({ bucket: { ...key, bucket: 'other', accessKeyId: 'AKIA2', secretAccessKey: 'second' } })
    await setTarget({ folder })
    expect(await server.json(`/ai/sessions/s2/publish`, { method: 'DELETE' })).toMatchObject({
      status: 409,
      body: { error: { name: 'PublishTargetUnknown', message: expect.stringContaining(place) } },
    })
    expect((await server.json('/ai/sessions/s2', { method: 'DELETE' })).body).toMatchObject({ stillPublished: [place] })
    expect((await server.json('/ai/publish/pages')).body).toMatchObject({ pages: [{ name, title: null }] })
    expect((await server.json(`/ai/publish/pages/${name}?forget=1`, { method: 'DELETE' })).status).toBe(200)
    expect((await server.json(`/ai/publish/pages/${name}`, { method: 'DELETE' })).status).toBe(404)
    await setTarget({ bucket: { ...key, bucket: 'other', secretAccessKey: 'bucket-secret' } })
  })

  it('gives the reason of the service, and of one that cannot be reached', async () => {
    refusal = '<Error><Code>SignatureDoesNotMatch</Code><Message>The key bucket-secret is wrong.</Message></Error>'
    const refused = await publish()
    expect(refused.status).toBe(502)
    expect(refused.body.error?.message).toContain('403 SignatureDoesNotMatch')
    expect(JSON.stringify(refused.body)).not.toContain('bucket-secret')
    await setTarget({
      bucket: {
        endpoint: 'http://127.0.0.1:9',
        region: 'auto',
        bucket: 'b',
        accessKeyId: 'k',
        secretAccessKey: 's3cret',
      },
    })
    expect((await publish()).body.error?.message).toContain('127.0.0.1:9 could not be reached')
  })
})

it('a printed page is shown without our origin and prints itself', async () => {
  const response = await server.fetch('/ai/sessions/s1/export?format=html&print=1')
  expect(response.headers.get('content-disposition')).toMatch(/^inline/)
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain('sandbox allow-scripts allow-modals')
  expect(policy).not.toContain('allow-same-origin')
  expect(await response.text()).toContain('<body data-print>')
  const saved = await server.fetch('/ai/sessions/s1/export?format=html')
  expect(saved.headers.get('content-disposition')).toMatch(/^attachment/)
})
