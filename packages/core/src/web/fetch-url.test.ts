import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { fetchUrl } from './fetch-url.ts'
import { parseUrl } from './url-guard.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const signal = new AbortController().signal
const open: { close(): void }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function serve(handler: http.RequestListener, address = '127.0.0.1') {
  const requests: http.IncomingMessage[] = []
  const server = http.createServer((request, response) => {
    requests.push(request)
    handler(request, response)
  })
  server.listen(0, address)
  await once(server, 'listening')
  open.push({ close: () => (server.closeAllConnections(), server.close()) })
  const { port } = server.address() as AddressInfo
  return { url: `http://${address}:${port}`, port, requests }
}

const here = { signal, allowed: ['127.0.0.1'] }

describe('addresses', () => {
  const urls = [
    'http://127.0.0.1/', 'http://localhost/', 'http://0/', 'http://0x7f.1/', 'http://2130706433/', 'http://017700000001/',
    'http://127.1/', 'http://①②⑦.⓪.⓪.①/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'http://192.168.0.1/',
    'http://[fe80::1]/', 'http://[fd00::1]/', 'http://0.0.0.0/', 'http://[::]/', 'http://100.64.0.1/', 'http://224.0.0.1/', 'http://255.255.255.255/',
  ] // prettier-ignore
  test.each(urls)('%s is not fetched', async (url) => {
    await expect(fetchUrl(url, { signal })).rejects.toThrow('not on the public web')
  })

  test('a canary on this machine is never reached', async () => {
    const canary = await serve((_, response) => response.end('secret'))
    for (const host of ['127.0.0.1', 'localhost', '0', '0x7f000001', '[::ffff:127.0.0.1]']) {
      await expect(fetchUrl(`http://${host}:${canary.port}/`, { signal })).rejects.toThrow('not on the public web')
    }
    expect(canary.requests).toEqual([])
  })

  test('a name is refused when any of its addresses is private', async () => {
    const resolve = () =>
      Promise.resolve([
        { address: '93.184.216.34', family: 4 },
        { address: '10.1.2.3', family: 4 },
      ])
    await expect(fetchUrl('http://mixed.test/', { signal, resolve })).rejects.toThrow(
      'mixed.test resolves to 10.1.2.3, which is not on the public web (a private network)',
    )
    await expect(fetchUrl('http://none.test/', { signal, resolve: () => Promise.resolve([]) })).rejects.toThrow(
      'has no address',
    )
  })

  test('a name is resolved once and the checked address is used', async () => {
    const server = await serve((_, response) => response.end('first'))
    const canary = await serve((_, response) => response.end('second'), '127.0.0.2')
    let asked = 0
    const resolve = () => Promise.resolve([{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
    const page = await fetchUrl(`http://rebinding.test:${server.port}/`, { ...here, resolve })
    expect(page.body.toString()).toBe('first')
    expect(asked).toBe(1)
    expect(server.requests[0]?.headers.host).toBe(`rebinding.test:${server.port}`)
    // The next fetch resolves again and rejects the new address.
    await expect(fetchUrl(`http://rebinding.test:${canary.port}/`, { ...here, resolve })).rejects.toThrow('127.0.0.2')
    expect(canary.requests).toEqual([])
  })
})

test.skipIf(!hasOpenssl)('TLS uses the host name, and an untrusted certificate is rejected', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tls-'))
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=named.test', '-addext', 'subjectAltName=DNS:named.test']
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
  const names: string[] = []
  const server = https.createServer({
    key: readFileSync(key),
    cert: readFileSync(cert),
    SNICallback: (name, done) => (names.push(name), done(null)),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(server)
  const url = `https://named.test:${(server.address() as AddressInfo).port}/`
  const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  await expect(fetchUrl(url, { ...here, resolve })).rejects.toThrow('cannot be trusted')
  expect(names).toEqual(['named.test'])
  rmSync(folder, { recursive: true })
})

describe('URLs', () => {
  test.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://x',
    'data:text/plain,x',
    'javascript:alert(1)',
    'blob:x',
  ])('%s is not one to fetch', async (url) => {
    await expect(fetchUrl(url, { signal })).rejects.toThrow('Only http and https')
  })

  test('are whole, without secrets, and not endless', async () => {
    await expect(fetchUrl('example.com', { signal })).rejects.toThrow('is not a URL')
    await expect(fetchUrl('http://', { signal })).rejects.toThrow('is not a URL')
    await expect(fetchUrl('http://user:secret@example.com/', { signal })).rejects.toThrow(
      /^URLs that contain a user name or password cannot be fetched/,
    )
    await expect(fetchUrl(`http://example.com/${'x'.repeat(2000)}`, { signal })).rejects.toThrow('longer than 2000')
    expect(parseUrl('https://example.com/a#part').href).toBe('https://example.com/a')
  })
})

describe('redirects', () => {
  test('are followed, five of them at most', async () => {
    const server = await serve(({ url }, response) => {
      const left = Number(url?.slice(1))
      if (left === 0) response.end('arrived')
      else response.writeHead([301, 302, 303, 307, 308][left % 5]!, { location: `/${left - 1}` }).end()
    })
    expect(await fetchUrl(`${server.url}/5`, here)).toMatchObject({ url: `${server.url}/0`, status: 200 })
    await expect(fetchUrl(`${server.url}/6`, here)).rejects.toThrow('redirects more than 5 times')
  })

  test('are checked like the first URL', async () => {
    const canary = await serve((_, response) => response.end('secret'), '127.0.0.2')
    let location = ''
    const server = await serve((_, response) => response.writeHead(302, { location }).end())
    for (location of [
      canary.url,
      `//127.0.0.2:${canary.port}/`,
      `http://0x7f.2:${canary.port}/`,
      `http://[::ffff:127.0.0.2]:${canary.port}/`,
    ]) {
      await expect(fetchUrl(server.url, here)).rejects.toThrow('not on the public web')
    }
    for (location of ['file:///etc/passwd', 'data:text/html,x'])
      await expect(fetchUrl(server.url, here)).rejects.toThrow('Only http and https')
    location = 'http://user:secret@127.0.0.1/'
    await expect(fetchUrl(server.url, here)).rejects.toThrow('user name or password')
    expect(canary.requests).toEqual([])
  })

  test('to another host are looked up again', async () => {
    const server = await serve(({ headers }, response) => {
      if (headers.host?.startsWith('first'))
        response.writeHead(302, { location: `http://second.test:${server.port}/` }).end()
      else response.end(headers.host)
    })
    const asked: string[] = []
    const resolve = (host: string) => Promise.resolve((asked.push(host), [{ address: '127.0.0.1', family: 4 }]))
    const page = await fetchUrl(`http://first.test:${server.port}/`, { ...here, resolve })
    expect(page.body.toString()).toBe(`second.test:${server.port}`)
    expect(asked).toEqual(['first.test', 'second.test'])
  })
})

describe('bodies', () => {
  test('are decompressed', async () => {
    const server = await serve(({ url }, response) => {
      const encoding = url!.slice(1)
      const body = Buffer.from('compressed '.repeat(100))
      response
        .writeHead(200, { 'content-encoding': encoding })
        .end(encoding === 'br' ? brotliCompressSync(body) : encoding === 'gzip' ? gzipSync(body) : body)
    })
    for (const encoding of ['br', 'gzip', 'identity']) {
      expect((await fetchUrl(`${server.url}/${encoding}`, here)).body.toString()).toBe('compressed '.repeat(100))
    }
    await expect(fetchUrl(`${server.url}/lzma`, here)).rejects.toThrow('unsupported compression (lzma)')
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, br')
  })

  test('that are too large are not read to the end, declared or not', async () => {
    let sent = 0
    const server = await serve(({ url }, response) => {
      const chunk = Buffer.alloc(1024 * 1024)
      if (url === '/declared') response.setHeader('content-length', 50 * chunk.length)
      const send = (): void => {
        while (sent < 50 && !response.destroyed) {
          sent++
          if (!response.write(chunk)) return void response.once('drain', send)
        }
        response.end()
      }
      send()
    })
    await expect(fetchUrl(`${server.url}/declared`, here)).rejects.toThrow(
      'The page has 50 MB, more than the limit of 10 MB',
    )
    sent = 0
    await expect(fetchUrl(`${server.url}/chunked`, here)).rejects.toThrow('The page is larger than the limit of 10 MB')
    expect(sent).toBeLessThan(30)
  })

  test.each(['gzip', 'br'])('that grow beyond measure when decompressed (%s) are not', async (encoding) => {
    const zeros = Buffer.alloc(200 * 1024 * 1024)
    const bomb = encoding === 'gzip' ? gzipSync(zeros) : brotliCompressSync(zeros, { params: { 1: 1 } })
    const server = await serve((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb))
    const before = process.memoryUsage().rss
    await expect(fetchUrl(server.url, here)).rejects.toThrow('larger than the limit of 10 MB')
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })

  test('that are damaged or cut off are errors', async () => {
    const server = await serve(({ url }, response) => {
      if (url === '/damaged') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all')
      if (url === '/cut-gzip')
        return void response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync('x'.repeat(10_000)).subarray(0, 20))
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(fetchUrl(`${server.url}/damaged`, here)).rejects.toThrow('damaged compressed data')
    await expect(fetchUrl(`${server.url}/cut-gzip`, here)).rejects.toThrow('before the page was complete')
    await expect(fetchUrl(`${server.url}/cut`, here)).rejects.toThrow(
      'closed the connection before the page was complete',
    )
  })
})

describe('time', () => {
  test('limits a server that never answers, and a slow one', async () => {
    const silent = net.createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    open.push(silent)
    const timers: NodeJS.Timeout[] = []
    const dripping = await serve((_, response) => void timers.push(setInterval(() => response.write('x'), 20)))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    await expect(fetchUrl(url, { ...here, timeoutMs: 200 })).rejects.toThrow(`${url} timed out after 0.2 s`)
    await expect(fetchUrl(dripping.url, { ...here, timeoutMs: 300 })).rejects.toThrow('timed out after 0.3 s')
    for (const timer of timers) clearInterval(timer)
  })

  test('limits a lookup', async () => {
    const resolve = () => new Promise<never>(() => undefined)
    await expect(fetchUrl('http://slow.test/', { signal, resolve, timeoutMs: 100 })).rejects.toThrow(
      'timed out after 0.1 s',
    )
  })

  test('ends when the user stops', async () => {
    const controller = new AbortController()
    const server = await serve(() => controller.abort(new Error('stopped by the person')))
    await expect(fetchUrl(server.url, { ...here, signal: controller.signal })).rejects.toThrow('stopped by the person')
  })
})

test('a request stopped before it began leaves nothing behind that could fail', async () => {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => void failures.push(error)
  process.on('unhandledRejection', onFailure)
  const { promise: looked, reject } = Promise.withResolvers<never>()
  const stopped = { signal: AbortSignal.abort(new Error('stopped')), resolve: () => looked }
  await expect(fetchUrl('http://gone.test/', stopped)).rejects.toThrow('stopped')
  reject(new Error('not found'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', onFailure)
  expect(failures).toEqual([])
})

test('network errors are explained', async () => {
  const gone = await serve(() => undefined)
  for (const one of open.splice(0)) one.close()
  await expect(fetchUrl(gone.url, here)).rejects.toThrow('refused the connection')
  const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))
  await expect(fetchUrl('http://missing.test/', { signal, resolve })).rejects.toThrow(
    'The host missing.test was not found',
  )
})
