import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyBytes } from '../http/app.ts'
import { json, refuseAll, send } from '../testing/requests.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const upload = (bytes: Uint8Array, type: string) =>
  server.json<{ sha256: string; size: number; mediaType: string; url: string }>('/ai/blobs', {
    body: bytes,
    headers: { 'content-type': type },
  })

function sentFiles(): { mediaType: string; bytes: Buffer; filename: string | undefined }[] {
  const message = server.model.calls.at(-1)!.prompt.findLast(({ role }) => role === 'user')
  if (message?.role !== 'user') return []
  return message.content.flatMap((part) => {
    if (part.type !== 'file' || part.data.type !== 'data') return []
    return [{ mediaType: part.mediaType, filename: part.filename, bytes: Buffer.from(part.data.data) }]
  })
}

const withFile = (id: string, url: string, mediaType: string, filename?: string) => ({
  id,
  role: 'user',
  parts: [
    { type: 'text', text: 'look' },
    { type: 'file', mediaType, url, filename },
  ],
})

describe('/ai/blobs', () => {
  it('deletes only bytes that no message references', async () => {
    const loose = await upload(Buffer.from('never sent'), 'text/plain')
    const sent = await upload(Buffer.from('sent after all'), 'text/plain')
    await server.chat('holds', withFile('h1', sent.body.url, 'text/plain', 'a.txt'))
    expect(await server.json(loose.body.url, { method: 'DELETE' })).toMatchObject({ status: 200 })
    expect((await server.request(loose.body.url)).status).toBe(404)
    expect(readdirSync(path.join(server.homePath, 'blobs')).join()).not.toContain(loose.body.sha256)
    expect(await server.json(loose.body.url, { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: { error: { name: 'BlobNotFound' } },
    })
    expect(await server.json(sent.body.url, { method: 'DELETE' })).toMatchObject({
      status: 409,
      body: { error: { name: 'BlobInUse' } },
    })
    expect((await server.request(sent.body.url)).status).toBe(200)
    expect(await server.json('/ai/blobs/..%2Ftoken', { method: 'DELETE' })).toMatchObject({ status: 404 })
  })

  it('keeps bytes that only the result of a tool names, by their hash', async () => {
    const { body } = await upload(Buffer.from('read by a tool'), 'text/plain')
    const at = { sessionId: 'holds' }
    await server.store.messages.add(at, {
      id: 'reads',
      parentMessageId: null,
      role: 'assistant',
      parts: [
        {
          type: 'tool-Read',
          toolCallId: 'c1',
          state: 'output-available',
          input: {},
          output: { kind: 'image', blob: body.sha256 },
        },
      ],
      createdAt: 1,
    })
    expect((await server.json(body.url, { method: 'DELETE' })).status).toBe(409)
  })

  it('keeps bytes by their hash and gives them back', async () => {
    const { status, body } = await upload(png, 'image/png')
    expect([status, body]).toEqual([
      201,
      { sha256: hash(png), size: png.length, mediaType: 'image/png', url: `/ai/blobs/${hash(png)}` },
    ])
    expect((await upload(png, 'image/png')).body).toEqual(body)
    const response = await server.request(body.url)
    expect(Buffer.from(await response.arrayBuffer()).equals(png)).toBe(true)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-disposition')).toBe('inline')
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('never serves content inline that a browser would run', async () => {
    const dangerous = [
      'image/svg+xml',
      'text/html',
      'text/html; charset=utf-8',
      'application/xhtml+xml',
      'text/xml',
      'application/javascript',
      'text/javascript',
      'text/css',
      'application/json',
      'multipart/x-mixed-replace',
      'image/svg+xml;x=y',
      'TEXT/HTML',
      'nonsense',
      'a\tb/c',
    ]
    for (const [i, type] of dangerous.entries()) {
      const { body } = await upload(Buffer.from(`<svg onload="alert(${i})"/>`), type)
      const { headers } = await server.request(body.url)
      expect([type, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        type,
        'application/octet-stream',
        'attachment',
      ])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
    // The first type of the same bytes wins, so nobody can turn a download into a page.
    const bytes = Buffer.from('<b>plain</b>')
    await upload(bytes, 'text/plain')
    expect((await upload(bytes, 'text/html')).body.mediaType).toBe('text/plain')
  })

  it('accepts exactly 32 MiB and not a byte more', async () => {
    const bytes = new Uint8Array(bodyBytes)
    expect((await upload(bytes, 'application/zip')).body.size).toBe(bodyBytes)
    const refusals = await refuseAll(server, [
      () => send(server, 'POST', '/ai/blobs', { body: new Uint8Array(bodyBytes + 1) }),
    ])
    expect(refusals[0]?.name).toBe('BodyTooLarge')
  })

  it('rejects an empty body, an unknown hash and an invalid hash', async () => {
    const refusals = await refuseAll(server, [
      () => send(server, 'POST', '/ai/blobs', { headers: { 'content-type': 'image/png' }, body: '' }),
      () => send(server, 'POST', '/ai/blobs'),
      ...[
        hash(Buffer.from('never')),
        hash(png).toUpperCase(),
        `${hash(png)}.type`,
        '..',
        `..%2f${hash(png)}`,
        '%2e%2e%2ftoken',
        'x',
      ].map((name) => () => send(server, 'GET', `/ai/blobs/${name}`)),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 404, 404, 404, 404, 404, 404, 404])
  })
})

describe('attachments', () => {
  it('are sent to the model as bytes, and the history has only their hash', async () => {
    const { body } = await upload(png, 'image/png')
    expect((await server.chat('attached', withFile('a1', body.url, 'image/png', 'dot.png'))).status).toBe(200)
    expect(sentFiles()).toEqual([{ mediaType: 'image/png', filename: 'dot.png', bytes: png }])
    expect((await server.messages('attached'))[0]?.parts[1]).toEqual({
      type: 'file',
      mediaType: 'image/png',
      filename: 'dot.png',
      url: body.url,
    })
    await server.chat('attached', userMessage('what was it?', 'a2'))
    const earlier = server.model.calls.at(-1)!.prompt.find(({ role }) => role === 'user')
    expect(JSON.stringify(earlier)).toContain('image/png')
  })

  it('sent inline become blobs: base64 or percent-encoded, once each', async () => {
    const cases: [string, string, Buffer][] = [
      [`data:image/png;base64,${png.toString('base64')}`, 'image/png', png],
      [`data:image/png;base64,${png.toString('base64url')}`, 'image/png', png],
      ['data:text/plain;charset=utf-8,gr%C3%BC%C3%9Fe%2C%20du', 'text/plain', Buffer.from('grüße, du')],
      ['data:;base64,aGk=', 'text/plain', Buffer.from('hi')],
      [`http://127.0.0.1/ai/blobs/${hash(png)}`, 'image/png', png],
    ]
    for (const [i, [url, mediaType, bytes]] of cases.entries()) {
      const id = `inline${i}`
      expect((await server.chat(id, withFile(`i${i}`, url, mediaType))).status).toBe(200)
      // Text files are inlined, because every model can read them.
      if (mediaType === 'text/plain')
        expect(JSON.stringify(server.model.calls.at(-1)!.prompt)).toContain(bytes.toString())
      else expect(sentFiles()).toEqual([{ mediaType, filename: undefined, bytes }])
      expect((await server.messages(id))[0]?.parts[1]).toMatchObject({ url: `/ai/blobs/${hash(bytes)}` })
      expect(readFileSync(path.join(server.homePath, 'blobs', hash(bytes))).equals(bytes)).toBe(true)
      // The same message is a retry, regardless of how its bytes are encoded.
      const count = server.model.calls.length
      expect(
        (await server.chat(id, withFile(`i${i}`, `data:x/y;base64,${bytes.toString('base64')}`, mediaType))).status,
      ).toBe(200)
      expect(server.model.calls).toHaveLength(count)
    }
    const exported = readFileSync(path.join(server.homePath, 'sessions', 'inline0', 'messages.jsonl'), 'utf8')
    expect(exported).toContain(hash(png))
    expect(exported).not.toContain('base64')
  })

  it('generated by a model become blobs, too', async () => {
    server.script('draw', [[{ text: 'here' }, { file: { mediaType: 'image/png', data: png.toString('base64') } }]])
    const { message } = await server.chat('drawn', 'draw')
    expect(message.parts).toContainEqual({ type: 'file', mediaType: 'image/png', url: `/ai/blobs/${hash(png)}` })
  })

  it('of a refused message are not stored', async () => {
    const before = readdirSync(path.join(server.homePath, 'blobs')).toSorted()
    const message = withFile('late', 'data:text/plain,never%20stored', 'text/plain')
    const body = JSON.stringify({ id: 'refused', messages: [message], model: 'nobody/none' })
    await refuseAll(server, [() => send(server, 'POST', '/ai/chat', { headers: json, body })])
    expect(readdirSync(path.join(server.homePath, 'blobs')).toSorted()).toEqual(before)
  })
})
