import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestSite {
  port: number
  /** `method host path` of each request, without the port. */
  requests: string[]
  /** By host and path, such as `a.test/form`. */
  pages: Record<string, TestPage>
  url(hostAndPath: string): string
  close(): Promise<void>
}

type TestPage = string | ((request: http.IncomingMessage, response: http.ServerResponse, body: string) => void)

/** Starts a loopback server with pages of several hosts. `resolveToLoopback` resolves their names. */
export async function openTestSite(pages: Record<string, TestPage>): Promise<TestSite> {
  const requests: string[] = []
  const server = http.createServer((request, response) => {
    void answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const site: TestSite = {
    port,
    requests,
    pages,
    url: (hostAndPath) => `http://${hostAndPath.replace('/', `:${port}/`)}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return site

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { host, pathname } = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const name = `${host.replace(/:\d+$/, '')}${pathname}`
    if (pathname !== '/favicon.ico') requests.push(`${request.method} ${name}`)
    const page = pages[name]
    const body = (await Array.fromAsync(request)).join('')
    if (typeof page === 'function') return page(request, response, body)
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page ?? 'Not here.')
  }
}

export const resolveToLoopback = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
