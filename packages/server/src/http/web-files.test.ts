import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../testing/requests.ts'
import { testServer, type TestServer } from '../testing/test-server.ts'

let folder: string
let server: TestServer
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-page-'))
  const page = path.join(folder, 'dist')
  mkdirSync(path.join(page, 'assets'), { recursive: true })
  mkdirSync(path.join(page, 'folder.js'))
  mkdirSync(path.join(folder, 'dist-secret'))
  writeFileSync(path.join(page, 'index.html'), '<!doctype html><title>Page</title>')
  writeFileSync(path.join(page, 'assets', 'app-1a2b.js'), 'let page')
  writeFileSync(path.join(page, 'odd.exe'), 'odd')
  writeFileSync(path.join(page, 'preview.html'), '<!doctype html><script>let own</script>')
  for (const place of ['secret.txt', 'dist-secret/secret.txt']) writeFileSync(path.join(folder, place), 'secret')
  symlinkSync(path.join(folder, 'secret.txt'), path.join(page, 'link.txt'))
  server = await testServer({ webFolder: page })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const page = { authorization: '' }
const get = (target: string) => server.app.request(`http://127.0.0.1:0${target}`, { headers: { host: '127.0.0.1:0' } })

it('the page and its files need no secret; the page is never cached, the rest forever', async () => {
  const index = await get('/')
  expect([index.status, await index.text()]).toEqual([200, '<!doctype html><title>Page</title>'])
  expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(index.headers.get('cache-control')).toBe('no-cache')
  expect(index.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const script = await get('/assets/app-1a2b.js')
  expect([script.status, await script.text(), script.headers.get('content-type')]).toEqual([
    200,
    'let page',
    'text/javascript; charset=utf-8',
  ])
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect((await send(server, 'HEAD', '/', { headers: page })).status).toBe(200)
  expect((await send(server, 'GET', '/index.html', { headers: page })).status).toBe(200)
})

it('the preview page has its own policy: no origin, no network, only its own script', async () => {
  const { headers } = await get('/preview.html')
  const hash = createHash('sha256').update('let own').digest('base64')
  const policy = headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual(
    expect.arrayContaining([
      'sandbox allow-scripts',
      "default-src 'none'",
      `script-src 'sha256-${hash}' 'unsafe-eval'`,
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]),
  )
  expect(policy?.filter((line) => /http|connect-src|frame-src|'unsafe-inline'/.test(line))).toEqual([
    "style-src 'unsafe-inline'",
  ])
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  // Under any other spelling it is an ordinary page, which refuses framing.
  const other = await get('/assets/..%2fpreview.html')
  expect(other.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

it('nothing else is served', async () => {
  const targets = [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%2fdist-secret%2fsecret.txt',
    '/link.txt',
    '/folder.js',
    '/assets',
    '/assets/',
    '/odd.exe',
    '/%00.js',
    '/index.html%00.js',
    '/%',
    '/..\\secret.txt',
    '//secret.txt',
    `/${'x'.repeat(5000)}.js`,
    '/ai/../index.html%3f',
  ]
  for (const target of targets) expect([401, 404], `GET ${target}`).toContain((await get(target)).status)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    expect((await send(server, method, '/', { headers: page })).status).toBe(404)
})

it('a page that was not built reports it', async () => {
  const without = await testServer({ webFolder: path.join(folder, 'nothing') })
  const response = await without.app.request('http://127.0.0.1:0/', { headers: { host: '127.0.0.1:0' } })
  expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('npm start') as string])
  await without.close()
})
