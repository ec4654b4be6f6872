import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLoginFiles, createOAuthLogins, type OAuthLogins } from './oauth-logins.ts'

let url: string
let logins: OAuthLogins
let close: () => void

/** An MCP server that needs a login, and its authorization server. */
beforeEach(async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'troupe-logins-'))
  const server = createServer((request, response) => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const target = request.url ?? ''
    request.resume()
    if (target.startsWith('/.well-known/oauth-protected-resource'))
      return answer({ resource: `${base}/mcp`, authorization_servers: [base] })
    if (target === '/.well-known/oauth-authorization-server')
      return answer({
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      })
    if (target === '/register') return answer({ client_id: 'ours', redirect_uris: ['http://127.0.0.1:1/back'] }, 201)
    if (target === '/token') return answer({ access_token: 'a token', token_type: 'Bearer' })
    const metadata = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`
    return void response.writeHead(401, { 'www-authenticate': metadata }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  logins = createOAuthLogins({ store: createLoginFiles(home), redirectUrl: () => 'http://127.0.0.1:1/back' })
  close = () => {
    server.close()
    server.closeAllConnections()
    rmSync(home, { recursive: true, force: true })
  }
})
afterEach(() => {
  vi.useRealTimers()
  close()
})

/** Begins a login and returns its state, as the authorization server gets it. */
async function begin(): Promise<string> {
  return new URL((await logins.begin({ url })) ?? '').searchParams.get('state') ?? ''
}

const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms)

it('two logins begun at once can both be finished, each once', async () => {
  const states = [await begin(), await begin()]
  for (const state of states) {
    expect(await logins.finish({ state, code: 'x' })).toBe(url)
    expect(logins.state({ type: 'http', url, headers: {} })).toBe('done')
    await expect(logins.finish({ state, code: 'x' })).rejects.toMatchObject({ name: 'McpLoginUnknown' })
  }
})

it('a login expires after ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [slow, late] = [await begin(), await begin()]
  later(599_000)
  expect(await logins.finish({ state: slow, code: 'x' })).toBe(url)
  later(2000)
  await expect(logins.finish({ state: late, code: 'x' })).rejects.toMatchObject({ name: 'McpLoginUnknown' })
})
