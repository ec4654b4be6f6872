import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer({ config: { permissions: { allow: ['Bash'] } } })
  const place = server.workspace.path
  mkdirSync(path.join(place, 'src'))
  writeFileSync(path.join(place, 'src/a.ts'), 'one\ntwo\n')
  writeFileSync(path.join(place, 'data.bin'), Buffer.from([1, 0, 2]))
  writeFileSync(path.join(place, 'large.txt'), 'x'.repeat(3 * 1024 * 1024))
  writeFileSync(path.join(place, 'dot.png'), Buffer.from([0x89, 0x50]))
  writeFileSync(path.join(place, '.env'), 'KEY=secret\n')
  writeFileSync(path.join(place, '../outside.txt'), 'outside\n')
  symlinkSync('../outside.txt', path.join(place, 'link.txt'))
  await server.json('/ai/sessions', { body: { id: 's' } })
})
afterAll(() => server.close())

describe('a file next to the chat', () => {
  const file = (name: string, more = ''): Promise<{ status: number; body: Record<string, unknown> }> =>
    server.json(`/ai/sessions/s/file?path=${encodeURIComponent(name)}${more}`)

  it('is text, an image or neither, and large ones are cut', async () => {
    expect((await file('src/a.ts')).body).toEqual({
      file: { path: 'src/a.ts', bytes: 8, kind: 'text', text: 'one\ntwo\n' },
    })
    expect((await file(path.join(server.workspace.path, 'src/a.ts'))).status).toBe(200)
    expect((await file('data.bin')).body).toMatchObject({ file: { kind: 'binary', bytes: 3 } })
    expect((await file('large.txt')).body).toMatchObject({ file: { isCut: true, bytes: 3 * 1024 * 1024 } })
    expect((await file('dot.png')).body).toMatchObject({ file: { kind: 'image' } })
    const raw = await server.request('/ai/sessions/s/file?path=dot.png&raw=1')
    expect([raw.headers.get('content-type'), (await raw.arrayBuffer()).byteLength]).toEqual(['image/png', 2])
    expect((await file('src/a.ts', '&raw=1')).status).toBe(400)
  })

  it.each(['../outside.txt', 'link.txt', '/etc/passwd', 'nowhere.ts', 'src', '~/.bashrc', ''])(
    '%j is not one of the workspace',
    async (name) => {
      const { status, body } = await file(name)
      expect(status).toBe(name === '' ? 400 : 404)
      expect(JSON.stringify(body)).not.toContain('outside\n')
    },
  )

  it('that contains secrets is shown after a second request', async () => {
    expect(await file('.env')).toMatchObject({ status: 403, body: { error: { name: 'SecretFile' } } })
    expect((await file('.env', '&secret=1')).body).toMatchObject({ file: { text: 'KEY=secret\n' } })
  })
})

describe('a command in the background', () => {
  it('is read while it prints, waited for, and stopped', async () => {
    const command = 'echo first; read line < go; echo second; sleep 60'
    server.script('bg', [
      [{ call: { name: 'Bash', input: { command: `mkfifo go; ${command}`, run_in_background: true } } }],
      [{ text: 'It runs.' }],
    ])
    await server.chat('bg', 'bg')
    const { tasks } = (await server.json<{ tasks: { id: string }[] }>('/ai/sessions/bg/tasks')).body
    expect(tasks).toMatchObject([{ kind: 'command', status: 'running', exitCode: null }])
    const at = `/ai/sessions/bg/tasks/${tasks[0]!.id}`
    const look = async (from: number) =>
      (await server.json<{ text: string; next: number }>(`${at}?from=${from}&wait=15000`)).body
    const first = await look(0)
    expect(first.text).toContain('first')
    const second = look(first.next)
    writeFileSync(path.join(server.workspace.path, 'go'), 'on\n')
    expect(await second).toMatchObject({ text: 'second\n', task: { status: 'running' } })
    expect((await server.json(`${at}/stop`, { method: 'POST' })).body).toMatchObject({ task: { status: 'stopped' } })
    expect((await server.json('/ai/sessions/bg/tasks/task-none')).status).toBe(404)
    expect((await server.json(`/ai/sessions/s/tasks/${tasks[0]!.id}`)).status).toBe(404)
  })
})

describe('a page to read', () => {
  const read = (url: string, more: object = {}): Promise<{ status: number; body: Record<string, never> }> =>
    server.json('/ai/reader', { body: { url, ...more } })

  it('on this machine is read only on request, and never Troupe itself', async () => {
    let asked = 0
    const local = http.createServer((_, response) => {
      asked++
      response.setHeader('content-type', 'text/html')
      response.end('<title>App</title><h1>Hello</h1><script>alert(1)</script><p>It runs.</p>')
    })
    local.listen(0, '127.0.0.1')
    await once(local, 'listening')
    const url = `localhost:${(local.address() as AddressInfo).port}`
    expect(await read(url)).toMatchObject({ status: 422, body: { error: { name: 'PageUnreadable' } } })
    expect(asked).toBe(0)
    const { body } = await read(url.replace('localhost', '127.0.0.1'), { here: true })
    expect(body).toMatchObject({ page: { status: 200, title: 'App', isMarkdown: true } })
    expect(JSON.stringify(body)).toContain('It runs.')
    expect(JSON.stringify(body)).not.toContain('alert')
    local.close()
  })

  it('follows redirects within its host, and no other: that one was not approved', async () => {
    const asked: string[] = []
    const local = http.createServer((request, response) => {
      asked.push(request.url ?? '')
      const { port } = local.address() as AddressInfo
      if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port}/other` }).end()
      else if (request.url === '/on') response.writeHead(302, { location: '/there' }).end()
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('there')
    })
    local.listen(0, '127.0.0.1')
    await once(local, 'listening')
    const at = `http://127.0.0.1:${(local.address() as AddressInfo).port}`
    expect((await read(`${at}/on`, { here: true })).body).toMatchObject({ page: { text: 'there' } })
    const away = await read(`${at}/away`, { here: true })
    expect(away).toMatchObject({ status: 422, body: { error: { name: 'PageUnreadable' } } })
    expect(JSON.stringify(away.body)).toContain('/other')
    expect(asked).toEqual(['/on', '/there', '/away'])
    local.close()
  })

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://169.254.169.254/',
    'http://10.0.0.1/',
    'https://a:b@c.de/',
  ])('%s is not read, nor with the word of a person', async (url) => {
    expect((await read(url)).status).toBe(422)
    expect((await read(url, { here: true })).status).toBe(422)
  })
})
