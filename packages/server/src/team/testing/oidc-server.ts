import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Configuration, Provider } from 'oidc-provider'
import { publicUrl } from './test-team.ts'

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
  /** Acts as a browser at the provider, from the first address to the one that leads back. */
  authorize(url: string): Promise<string>
  close(): Promise<void>
}

/** An OpenID provider on loopback. Everybody who comes is signed in at once, as `claims` says. */
export async function oidcServer(claims: Claims, port = 0): Promise<OidcServer> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const { port: own } = http.address() as AddressInfo
  const issuer = `http://127.0.0.1:${own}`
  const provider = new Provider(
    issuer,
    settings(() => server.claims),
  )
  const handle = provider.callback()
  http.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void handle(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: server.claims.sub } })
  })
  const server: OidcServer = {
    issuer,
    port: own,
    claims,
    async authorize(url) {
      const cookies = new Map<string, string>()
      let at = url
      while (at.startsWith(issuer)) {
        const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
        const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const set of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s)
          cookies.set(name, value)
        }
        const next = response.headers.get('location')
        if (next === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
        at = new URL(next, issuer).href
      }
      return at
    },
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  return server
}

function settings(claims: () => Claims): Configuration {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    clients: [
      {
        client_id: 'client',
        client_secret: 'client secret',
        redirect_uris: [`${publicUrl}/ai/account/callback/corp`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256', use: 'sig' }] } as never,
    cookies: { keys: ['a key for tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...claims(), sub: accountId }) }),
    async loadExistingGrant({ oidc }) {
      const { accountId } = oidc.session ?? {}
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId } as never)
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}
