import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { createLimits } from './limits.ts'
import { checkTeamOptions, readTeamOptions } from './options.ts'
import { password, publicUrl, type TestTeam, testTeam } from './testing/test-team.ts'

const proxy = '10.1.2.3'
let team: TestTeam
let cookie: string
beforeAll(async () => {
  team = await testTeam({ trustedProxies: [proxy, '10.9.0.0/16'] })
  cookie = [...team.owner.cookies].map((pair) => pair.join('=')).join('; ')
})
afterAll(() => team.close())

/** Sends a request as if it came from this address. */
async function send(
  target: string,
  {
    from = proxy,
    url = publicUrl,
    ...init
  }: RequestInit & { from?: string; url?: string; headers: Record<string, string> },
): Promise<string> {
  const incoming = Readable.from(init.body === undefined ? [] : [Buffer.from(init.body as string)])
  const env = { incoming: Object.assign(incoming, { socket: { remoteAddress: from } }) }
  const response = await team.app.request(`${url}${target}`, init, env as never)
  const text = await response.text()
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: { name: string } }
  return `${response.status}${error === undefined ? '' : ` ${error.name}`}`
}

const page = { host: 'team.example', 'x-troupe-page': '1', 'x-forwarded-proto': 'https' }

describe('a request of the browser', () => {
  it('needs the header of the page, and to change something also its Origin', async () => {
    const get = (headers: Record<string, string>) => send('/ai/sessions', { headers: { ...page, cookie, ...headers } })
    const remove = (headers: Record<string, string>) =>
      send('/ai/trash', { method: 'DELETE', headers: { ...page, cookie, ...headers } })
    expect(await get({})).toBe('200')
    expect(await get({ 'x-troupe-page': '' })).toBe('401 Unauthorized')
    expect(await get({ origin: 'https://evil.example' })).toBe('403 ForeignOrigin')
    expect(await remove({ origin: publicUrl })).toBe('200')
    expect(await remove({})).toBe('403 ForeignOrigin')
    expect(await remove({ origin: publicUrl, 'x-troupe-page': '' })).toBe('401 Unauthorized')
    const foreign = [
      'null',
      'https://evil.example',
      'http://team.example',
      'https://team.example.evil.example',
      `${publicUrl}:8443`,
      '',
    ]
    for (const origin of foreign) expect([origin, await remove({ origin })]).toEqual([origin, '403 ForeignOrigin'])
  })

  it('to sign in cannot come from another site', async () => {
    const body = JSON.stringify({ email: 'olga@team.example', password })
    const headers = { ...page, 'content-type': 'application/json', origin: 'https://evil.example' }
    expect(await send('/ai/account/sign-in', { method: 'POST', body, headers })).toBe('403 ForeignOrigin')
  })
})

describe('the host', () => {
  it('is that of the public URL', async () => {
    const get = (host: string, more = {}) => send('/ai/sessions', { headers: { ...page, cookie, host, ...more } })
    expect(await get('team.example')).toBe('200')
    expect(await get('TEAM.example:443')).toBe('200')
    for (const host of [
      'evil.example',
      'team.example:8443',
      'team.example.evil.example',
      '127.0.0.1',
      'team.example@evil.example',
      'evil.example/team.example',
      '',
    ])
      expect([host, await get(host)]).toEqual([host, '403 ForeignHost'])
    // An absolute request target that names another host.
    expect(await send('/ai/sessions', { url: 'https://evil.example', headers: { ...page, cookie } })).toBe(
      '403 ForeignHost',
    )
    expect(await get('team.example', { 'x-forwarded-host': 'evil.example' })).toBe('403 ForeignHost')
  })

  it('is believed from a proxy only if that is trusted', async () => {
    const headers = { ...page, cookie, 'x-forwarded-host': 'team.example' }
    const inner = { ...headers, host: 'troupe.internal:4880' }
    const url = 'https://troupe.internal:4880'
    expect(await send('/ai/sessions', { headers: inner, url })).toBe('200')
    expect(await send('/ai/sessions', { headers: inner, url, from: '10.9.7.7' })).toBe('200')
    expect(await send('/ai/sessions', { headers: inner, url, from: '::ffff:10.9.7.7' })).toBe('200')
    expect(await send('/ai/sessions', { headers: inner, url, from: '203.0.113.5' })).toBe('403 ForeignHost')
  })

  it('is served over https only', async () => {
    expect(await send('/ai/sessions', { headers: { ...page, cookie, 'x-forwarded-proto': 'http' } })).toBe(
      '403 NotSecure',
    )
    // Nobody but a proxy may talk to a server without TLS.
    expect(await send('/ai/sessions', { headers: { ...page, cookie }, from: '203.0.113.5' })).toBe('403 NotSecure')
    expect(await send('/health', { headers: { host: '10.0.0.8:4880' }, from: '10.0.0.8' })).toBe('200')
  })
})

describe('limits of attempts', () => {
  const signIn = (email: string, forwarded?: string) =>
    send('/ai/account/sign-in', {
      method: 'POST',
      body: JSON.stringify({ email, password: 'wrong password' }),
      headers: { ...page, 'content-type': 'application/json', ...(forwarded && { 'x-forwarded-for': forwarded }) },
    })
  const clear = () => (team.store as SqlStore).db.deleteFrom('rate_limit').execute()
  const keys = async () =>
    (await (team.store as SqlStore).db.selectFrom('rate_limit').selectAll().execute()).map(({ key }) => key).toSorted()

  it('count per account, from whatever address', async () => {
    await clear()
    const found: string[] = []
    for (let i = 0; i < 12; i++) found.push(await signIn('victim@team.example', `198.51.100.${i}`))
    expect(found.slice(9)).toEqual(['401 SignInFailed', '429 TooManyRequests', '429 TooManyRequests'])
    expect(await signIn('other@team.example', '198.51.100.1')).toBe('401 SignInFailed')
  })

  it('count per address, which a client cannot choose', async () => {
    const spoofed = ['1.1.1.1, 198.51.100.7', '2.2.2.2, 198.51.100.7', '198.51.100.7, 10.9.0.5', '198.51.100.7']
    await clear()
    for (const [i, forwarded] of spoofed.entries()) await signIn(`a${i}@team.example`, forwarded)
    expect((await keys()).filter((key) => key.startsWith('address:'))).toHaveLength(1)
    await clear()
    // Not from a proxy, so the header says nothing.
    for (const forwarded of ['1.1.1.1', '2.2.2.2'])
      await send('/ai/share', {
        method: 'POST',
        from: '203.0.113.9',
        body: JSON.stringify({ token: 'x'.repeat(43) }),
        headers: { ...page, 'content-type': 'application/json', 'x-forwarded-for': forwarded },
      })
    expect(await keys()).toEqual([])
  })

  it('do not lock everyone out if a proxy hides the addresses', async () => {
    await clear()
    const limits = createLimits((team.store as SqlStore).db, () => Date.now())
    for (let i = 0; i < 200; i++) await limits.count({ address: undefined })
    expect(await signIn('mia@team.example')).toBe('401 SignInFailed')
    for (let i = 0; i < 9; i++) await limits.count({ address: undefined, account: 'mia@team.example' })
    expect(await signIn('mia@team.example')).toBe('429 TooManyRequests')
    expect(await signIn('sam@team.example')).toBe('401 SignInFailed')
  })

  it('take an IPv6 network for one client, forget old attempts, and store no address', async () => {
    await clear()
    let now = 1_000_000
    const limits = createLimits((team.store as SqlStore).db, () => now)
    for (let i = 0; i < 60; i++) await limits.count({ address: `2001:db8:0:7::${i.toString(16)}` })
    await expect(limits.count({ address: '2001:db8::7:ffff:1:2:3' })).rejects.toMatchObject({ name: 'TooManyRequests' })
    await limits.count({ address: '2001:db8:0:8::1' })
    expect(JSON.stringify(await keys())).not.toContain('2001')
    now += 16 * 60 * 1000
    await limits.count({ address: '2001:db8:0:7::1' })
  })
})

describe('settings', () => {
  const secretKey = 'k'.repeat(32)
  const check =
    (options: object, host = '127.0.0.1') =>
    () =>
      checkTeamOptions({ publicUrl, secretKey, ...options }, host)

  it('that would serve people unsafely are refused', () => {
    const refused = { name: 'BadTeamSettings' }
    expect(check({})).not.toThrow()
    expect(check({ trustedProxies: ['10.0.0.0/8', '::1'] }, '0.0.0.0')).not.toThrow()
    expect(check({ tls: { cert: 'c', key: 'k' } }, '0.0.0.0')).not.toThrow()
    expect(check({ publicUrl: 'http://localhost:4880' })).not.toThrow()
    for (const [options, host] of [
      [{}, '0.0.0.0'],
      [{}, '192.168.1.2'],
      [{ publicUrl: 'http://team.example' }],
      [{ publicUrl: 'https://team.example/path' }],
      [{ publicUrl: 'team.example' }],
      [{ publicUrl: 'ftp://team.example' }],
      [{ secretKey: 'short' }],
      [{ trustedProxies: ['all'] }],
      [{ trustedProxies: ['10.0.0.0/0'] }],
      [{ trustedProxies: ['10.0.0.0/33'] }],
    ] as [object, string?][])
      expect(check(options, host)).toThrow(expect.objectContaining(refused) as Error)
  })

  it('come from the environment and the config', () => {
    const env = { TROUPE_PUBLIC_URL: publicUrl, TROUPE_SECRET_KEY: secretKey, CLIENT_SECRET: 's' }
    const provider = { id: 'idp', issuer: 'https://idp.example', clientId: 'c', clientSecretEnv: 'CLIENT_SECRET' }
    expect(readTeamOptions(env, { providers: [provider] })).toMatchObject({
      publicUrl,
      providers: [{ clientSecret: 's' }],
    })
    expect(() => readTeamOptions({ ...env, CLIENT_SECRET: '' }, { providers: [provider] })).toThrow(/CLIENT_SECRET/)
    expect(() => readTeamOptions({ TROUPE_SECRET_KEY: secretKey })).toThrow(/TROUPE_PUBLIC_URL/)
    expect(() => readTeamOptions({ TROUPE_PUBLIC_URL: publicUrl })).toThrow(/TROUPE_SECRET_KEY/)
  })
})
