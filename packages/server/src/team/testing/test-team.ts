import type { Role } from '@troupe/protocol'
import { type RequestOptions, testServer, type TestServer, type TestServerOptions } from '../../testing/test-server.ts'
import type { TeamOptions } from '../options.ts'

export const publicUrl = 'https://team.example'
export const password = 'correct horse battery'
export const secretKey = 'a secret key for tests, long enough'

export interface TestTeam extends TestServer {
  /** A browser that nobody uses yet. */
  browser(): Browser
  owner: Browser
  /** Invites a person, who joins in a browser of their own. */
  join(name: string, role: Role): Promise<Browser & { id: string }>
}

export interface Answer<T> {
  status: number
  body: T
  headers: Headers
}

/** A browser at the page: it keeps cookies and sends what the page sends. */
export interface Browser {
  cookies: Map<string, string>
  request(target: string, options?: RequestOptions): Promise<Response>
  json<T = { error: { name: string } }>(target: string, options?: RequestOptions): Promise<Answer<T>>
}

/** Starts a server in team mode on SQLite, in process, with an owner. */
export async function testTeam(options: Partial<TeamOptions> & { server?: TestServerOptions } = {}): Promise<TestTeam> {
  const { server: more, ...team } = options
  const server = await testServer({ testApproval: false, ...more, team: { publicUrl, secretKey, ...team } })
  const browser = (): Browser => createBrowser(server)
  const owner = browser()
  const token = new URL(server.url).hash.slice('#setup='.length)
  const account = { email: 'olga@team.example', password }
  // A home that was used before has its owner.
  const made =
    token === ''
      ? await owner.json('/ai/account/sign-in', { body: account })
      : await owner.json('/ai/account/setup', { body: { token, name: 'Olga', ...account } })
  if (made.status !== 200) throw new Error(`the owner was not created: ${JSON.stringify(made.body)}`)
  return {
    ...server,
    browser,
    owner,
    async join(name, role) {
      const email = `${name.toLowerCase()}@team.example`
      const { body } = await owner.json<{ url: string }>('/ai/invitations', { body: { email, role } })
      const own = browser()
      const joined = await own.json('/ai/account/join', {
        body: { token: new URL(body.url).hash.slice('#invite='.length), name, password },
      })
      if (joined.status !== 200) throw new Error(`${name} did not join: ${JSON.stringify(joined.body)}`)
      const me = await own.json<{ person: { id: string } }>('/ai/me')
      return { ...own, id: me.body.person.id }
    },
  }
}

function createBrowser(server: TestServer): Browser {
  const cookies = new Map<string, string>()
  const { host, origin } = new URL(publicUrl)
  const browser: Browser = {
    cookies,
    async request(target, { method, body, headers = {}, signal } = {}) {
      const isJson = body !== undefined && !(body instanceof Uint8Array)
      const response = await server.app.request(`${origin}${target}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          host,
          origin,
          'x-troupe-page': '1',
          ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
          ...(isJson && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer>) }),
        signal,
      })
      for (const cookie of response.headers.getSetCookie()) keep(cookie)
      return response
    },
    async json(target, init) {
      const response = await browser.request(target, init)
      const text = await response.text()
      const body = (text === '' ? undefined : JSON.parse(text)) as never
      return { status: response.status, body, headers: response.headers }
    },
  }
  return browser

  function keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    if (value === '' || attributes.some((one) => /^\s*max-age=0$/i.test(one))) cookies.delete(name)
    else cookies.set(name, value)
  }
}
