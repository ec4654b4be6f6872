import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Claims {
  sub: string
  email: string
  email_verified?: boolean
  name?: string
}

export interface OidcServer {
  issuer: string
  port: number
  /** Claims about the next person, true or not. */
  claims: Claims
  close(): Promise<void>
}

const json = { 'content-type': 'application/json' }

/** A small OpenID provider that believes everybody. It checks the code, PKCE and the client like a real one. */
export async function oidcServer(claims: Claims, port = 0): Promise<OidcServer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { nonce: string; challenge: string }>()
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const idToken = (nonce: string): string => {
    const now = Math.floor(Date.now() / 1000)
    const body = { iss: server.issuer, aud: 'client', iat: now, exp: now + 300, nonce, ...server.claims }
    const text = `${encode({ alg: 'RS256', kid: 'key' })}.${encode(body)}`
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', server.issuer)
    const answer = (value: object, status = 200): void => {
      response.writeHead(status, json)
      response.end(JSON.stringify(value))
    }
    if (url.pathname === '/.well-known/openid-configuration')
      return answer({
        issuer: server.issuer,
        authorization_endpoint: `${server.issuer}/authorize`,
        token_endpoint: `${server.issuer}/token`,
        userinfo_endpoint: `${server.issuer}/userinfo`,
        jwks_uri: `${server.issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (url.pathname === '/jwks')
      return answer({
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }],
      })
    if (url.pathname === '/authorize') {
      const code = randomUUID()
      const { searchParams: asked } = url
      codes.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '' })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      response.writeHead(302, { location: back.toString() })
      return response.end()
    }
    if (url.pathname !== '/token') return answer({ error: 'not_found' }, 404)
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      const given = new URLSearchParams(text)
      const known = codes.get(given.get('code') ?? '')
      codes.delete(given.get('code') ?? '')
      const proof = createHash('sha256')
        .update(given.get('code_verifier') ?? '')
        .digest('base64url')
      if (known === undefined || proof !== known.challenge || given.get('client_secret') !== 'client secret')
        return answer({ error: 'invalid_grant' }, 400)
      answer({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 300, id_token: idToken(known.nonce) })
    })
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const address = http.address() as AddressInfo
  const server: OidcServer = {
    issuer: `http://127.0.0.1:${address.port}`,
    port: address.port,
    claims,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  return server
}
