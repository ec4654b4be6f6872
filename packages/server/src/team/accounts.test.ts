import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { createPeople } from './people.ts'
import { type Browser, password, type TestTeam, testTeam } from './testing/test-team.ts'

let team: TestTeam
let setupToken: string
beforeAll(async () => {
  team = await testTeam()
  setupToken = new URL(team.url).hash.slice('#setup='.length)
})
afterAll(() => team.close())

const signIn = (browser: Browser, email: string, given = password) =>
  browser.json<{ status?: string; error?: { name: string } }>('/ai/account/sign-in', {
    body: { email, password: given },
  })
const invite = async (email: string, more = {}) =>
  new URL(
    (await team.owner.json<{ url: string }>('/ai/invitations', { body: { email, ...more } })).body.url,
  ).hash.slice('#invite='.length)
const join = (token: string, browser = team.browser()) =>
  browser.json<{ status?: string; error?: { name: string } }>('/ai/account/join', {
    body: { token, name: 'Nina', password },
  })

describe('the first address', () => {
  it('creates one owner, once', async () => {
    expect((await team.owner.json('/ai/me')).body).toMatchObject({
      mode: 'team',
      needsOwner: false,
      person: { role: 'owner', hasPassword: true, secondFactor: false },
    })
    for (const token of [setupToken, 'x'.repeat(43)]) {
      const body = { token, name: 'Eve', email: 'eve@team.example', password }
      const { status, body: answer } = await team.browser().json('/ai/account/setup', { body })
      expect([status, answer.error.name]).toEqual([403, 'LinkInvalid'])
    }
  })

  it('is printed again, the same on every node, until it is used', async () => {
    const people = createPeople((team.store as SqlStore).db, Date.now)
    expect(team.url).toMatch(/^https:\/\/team\.example\/#setup=[\w-]{43}$/)
    const derive = (id: string): string => `token of ${id}`
    expect(await people.setupToken(derive)).toBe(await people.setupToken(derive))
  })
})

describe('an invitation', () => {
  it('works once, even if it is used twice at the same moment', async () => {
    const token = await invite('nina@team.example')
    expect((await team.browser().json('/ai/account/invitation', { body: { token } })).body).toMatchObject({
      email: 'nina@team.example',
      role: 'member',
    })
    const both = await Promise.all([join(token), join(token)])
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 403]))
    expect((await join(token)).body.error?.name).toBe('LinkInvalid')
  })

  it('cannot be guessed, and ends when it is withdrawn, replaced or expired', async () => {
    expect((await join('x'.repeat(43))).status).toBe(403)
    const replaced = await invite('kim@team.example')
    const token = await invite('kim@team.example', { expiresInDays: 1 })
    expect((await join(replaced)).status).toBe(403)
    vi.useFakeTimers({ now: Date.now() + 25 * 60 * 60 * 1000, toFake: ['Date'] })
    expect((await join(token)).status).toBe(403)
    vi.useRealTimers()
    const { body } = await team.owner.json<{ invitations: { id: string; email: string }[] }>('/ai/invitations')
    const open = body.invitations.find(({ email }) => email === 'kim@team.example')!
    expect(JSON.stringify(body)).not.toContain(token)
    expect((await team.owner.json(`/ai/invitations/${open.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await join(token)).status).toBe(403)
  })

  it('is only for people who are not members, and only owners invite owners', async () => {
    expect((await team.owner.json('/ai/invitations', { body: { email: 'NINA@team.example' } })).status).toBe(409)
    const ada = await team.join('Ada', 'admin')
    const tries = [
      { email: 'o@team.example', role: 'owner' },
      { email: 'a@team.example', role: 'admin' },
    ]
    const statuses = []
    for (const body of tries) statuses.push((await ada.json('/ai/invitations', { body })).status)
    expect(statuses).toEqual([403, 201])
    const owner = (await ada.json<{ members: { id: string; role: string }[] }>('/ai/members')).body.members.find(
      ({ role }) => role === 'owner',
    )!
    expect((await ada.json(`/ai/members/${owner.id}`, { method: 'PATCH', body: { role: 'viewer' } })).status).toBe(403)
    expect((await ada.json(`/ai/members/${owner.id}`, { method: 'DELETE' })).status).toBe(403)
    expect(
      (await team.owner.json(`/ai/members/${owner.id}`, { method: 'PATCH', body: { role: 'viewer' } })).status,
    ).toBe(409)
    expect((await team.owner.json('/ai/me')).body).toMatchObject({ person: { role: 'owner' } })
  })
})

describe('signing in', () => {
  it('says the same for a wrong password and an unknown person', async () => {
    const wrong = await signIn(team.browser(), 'nina@team.example', 'not this one')
    const unknown = await signIn(team.browser(), 'nobody@team.example', 'not this one')
    expect([wrong.status, wrong.body]).toEqual([unknown.status, unknown.body])
    expect(wrong.body.error?.name).toBe('SignInFailed')
  })

  it('sets a cookie that only this host gets, and no script reads', async () => {
    const browser = team.browser()
    const { headers, body } = await signIn(browser, 'nina@team.example')
    const cookie = headers.getSetCookie().find((one) => one.includes('session_token'))!
    expect(cookie).toMatch(/^__Host-troupe\.session_token=/)
    for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']) expect(cookie).toContain(attribute)
    expect(cookie).not.toMatch(/Domain=/i)
    expect(JSON.stringify(body)).toBe('{"status":"signed-in"}')
    expect([
      headers.get('referrer-policy'),
      headers.get('cache-control'),
      headers.get('strict-transport-security'),
    ]).toEqual(['no-referrer', 'no-store', 'max-age=31536000'])
  })

  it('gives a new session, whatever cookie the browser had', async () => {
    const planted = team.browser()
    await signIn(planted, 'nina@team.example')
    const [name, value] = [...planted.cookies][0]!
    const victim = team.browser()
    victim.cookies.set(name, value)
    await signIn(victim, 'ada@team.example')
    expect(victim.cookies.get(name)).not.toBe(value)
    expect((await planted.json('/ai/me')).body).toMatchObject({ person: { email: 'nina@team.example' } })
    const made = team.browser()
    made.cookies.set(name, 'chosen-by-somebody.AAAA')
    expect((await made.json('/ai/me')).body).toMatchObject({ person: null })
    await signIn(made, 'nina@team.example')
    expect(made.cookies.get(name)).not.toContain('chosen')
  })

  it('ends with signing out, everywhere', async () => {
    const browser = team.browser()
    await signIn(browser, 'nina@team.example')
    const copy = team.browser()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    expect((await copy.json('/ai/sessions')).status).toBe(200)
    expect((await browser.json('/ai/account/sign-out', { method: 'POST' })).status).toBe(204)
    expect([(await browser.json('/ai/sessions')).status, (await copy.json('/ai/sessions')).status]).toEqual([401, 401])
  })

  it('refuses large bodies before it reads them', async () => {
    const huge = { email: 'x'.repeat(20_000), password }
    expect((await team.browser().json('/ai/account/sign-in', { body: huge })).status).toBe(413)
  })
})

describe('sessions and tokens', () => {
  it('are listed without their secrets, and end one by one or together', async () => {
    const [first, second, third] = [team.browser(), team.browser(), team.browser()]
    for (const browser of [first, second, third]) await signIn(browser, 'nina@team.example')
    const { body } = await first.json<{ sessions: { id: string; current: boolean }[] }>('/ai/account/sessions')
    expect(body.sessions.filter(({ current }) => current)).toHaveLength(1)
    for (const browser of [first, second, third])
      for (const value of browser.cookies.values()) expect(JSON.stringify(body)).not.toContain(value.split('.')[0])
    const theirs = (await team.owner.json<{ sessions: { id: string }[] }>('/ai/account/sessions')).body.sessions[0]!
    expect((await first.json(`/ai/account/sessions/${theirs.id}`, { method: 'DELETE' })).status).toBe(404)
    const ended = await first.json<{ ended: number }>('/ai/account/sessions/others', { method: 'DELETE' })
    expect(ended.body.ended).toBe(body.sessions.length - 1)
    expect([(await first.json('/ai/sessions')).status, (await second.json('/ai/sessions')).status]).toEqual([200, 401])
    expect((await team.owner.json('/ai/sessions')).status).toBe(200)
  })

  it('an API token is stored as a hash, is limited to its scopes, and expires', async () => {
    const nina = team.browser()
    await signIn(nina, 'nina@team.example')
    const create = (body: object) =>
      nina.json<{ secret: string; token: { id: string } }>('/ai/account/tokens', { body: { name: 'ci', ...body } })
    const { body } = await create({ scopes: ['read'], expiresInDays: 1 })
    const call = (target: string, init: { method?: string; body?: object } = {}) =>
      team.browser().json(target, { ...init, headers: { authorization: `Bearer ${body.secret}` } })
    expect((await call('/ai/sessions')).status).toBe(200)
    expect((await call('/ai/sessions', { body: { id: 'by-token' } })).status).toBe(403)
    expect((await call('/ai/account/tokens', { body: { name: 'x', scopes: ['write'] } })).status).toBe(403)
    expect((await create({ scopes: ['admin'] })).status).toBe(403)
    const { db } = team.store as SqlStore
    const stored = JSON.stringify(
      await db
        .selectFrom('auth_api_key' as never)
        .selectAll()
        .execute(),
    )
    expect(stored).not.toContain(body.secret)
    const listed = JSON.stringify((await nina.json('/ai/account/tokens')).body)
    expect([listed.includes(body.secret), listed.includes(body.token.id)]).toEqual([false, true])
    vi.useFakeTimers({ now: Date.now() + 25 * 60 * 60 * 1000, toFake: ['Date'] })
    expect((await call('/ai/sessions')).status).toBe(401)
    vi.useRealTimers()
    expect((await team.owner.json(`/ai/account/tokens/${body.token.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await nina.json(`/ai/account/tokens/${body.token.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await call('/ai/sessions')).status).toBe(401)
    for (const authorization of ['Bearer', `Bearer ${team.token}`, 'Bearer troupe_x', `Basic ${btoa('a:b')}`, 'Page x'])
      expect((await nina.json('/ai/sessions', { headers: { authorization } })).status).toBe(401)
  })

  it('a new password ends all other sessions', async () => {
    const [first, second] = [team.browser(), team.browser()]
    for (const browser of [first, second]) await signIn(browser, 'nina@team.example')
    const change = (current: string) =>
      first.json('/ai/account/password', { body: { current, next: 'another long password' } })
    expect((await change('wrong')).body).toMatchObject({ error: { name: 'WrongPassword' } })
    expect((await change(password)).status).toBe(204)
    expect([(await first.json('/ai/sessions')).status, (await second.json('/ai/sessions')).status]).toEqual([200, 401])
    expect((await signIn(team.browser(), 'nina@team.example')).status).toBe(401)
  })
})

describe('a second factor', () => {
  it('is asked for after the password, and backup codes replace it once', async () => {
    const ada = team.browser()
    await signIn(ada, 'ada@team.example')
    expect((await ada.json('/ai/account/totp', { body: { password: 'wrong' } })).body.error.name).toBe('WrongPassword')
    const { body } = await ada.json<{ uri: string; backupCodes: string[] }>('/ai/account/totp', { body: { password } })
    // Not before a code was confirmed.
    expect((await signIn(team.browser(), 'ada@team.example')).body.status).toBe('signed-in')
    expect((await ada.json('/ai/account/totp/confirm', { body: { code: '000000' } })).body.error.name).toBe('WrongCode')
    expect((await ada.json('/ai/account/totp/confirm', { body: { code: totp(body.uri) } })).status).toBe(204)
    expect((await ada.json('/ai/me')).body).toMatchObject({ person: { secondFactor: true } })

    const browser = team.browser()
    expect((await signIn(browser, 'ada@team.example')).body.status).toBe('second-factor')
    expect((await browser.json('/ai/sessions')).status).toBe(401)
    const confirm = (code: string, kind = 'totp') => browser.json('/ai/account/second-factor', { body: { code, kind } })
    expect((await confirm('000000')).status).toBe(401)
    expect((await confirm(totp(body.uri))).status).toBe(200)
    expect((await browser.json('/ai/sessions')).status).toBe(200)

    const [backup = ''] = body.backupCodes
    for (const status of [200, 401]) {
      const other = team.browser()
      await signIn(other, 'ada@team.example')
      const answer = await other.json('/ai/account/second-factor', { body: { code: backup, kind: 'backup' } })
      expect(answer.status).toBe(status)
    }
    expect((await team.browser().json('/ai/account/second-factor', { body: { code: totp(body.uri) } })).status).toBe(
      401,
    )
    const fresh = await browser.json<{ backupCodes: string[] }>('/ai/account/backup-codes', { body: { password } })
    expect(fresh.body.backupCodes.length).toBeGreaterThan(5)
    expect((await browser.json('/ai/account/totp/remove', { body: { password } })).status).toBe(204)
    expect((await signIn(team.browser(), 'ada@team.example')).body.status).toBe('signed-in')
  })
})

describe('a new secret key', () => {
  it('keeps second factors, also after the old key is gone', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'troupe-key-'))
    const [old, next] = ['an old secret key that is long enough', 'a new secret key that is long enough']
    const withKeys = (secretKey: string, ...oldSecretKeys: string[]) =>
      testTeam({ secretKey, oldSecretKeys, server: { home } })
    const ask = async (at: TestTeam, code: string) => {
      const browser = at.browser()
      expect((await signIn(browser, 'ada@team.example')).body.status).toBe('second-factor')
      return (await browser.json('/ai/account/second-factor', { body: { code } })).status
    }
    const first = await withKeys(old)
    const ada = await first.join('Ada', 'member')
    const { body } = await ada.json<{ uri: string }>('/ai/account/totp', { body: { password } })
    await ada.json('/ai/account/totp/confirm', { body: { code: totp(body.uri) } })
    await first.close()
    const second = await withKeys(next, old)
    expect(await ask(second, totp(body.uri))).toBe(200)
    const rotated = await second.owner.json('/ai/secrets/rotate', { method: 'POST' })
    expect(rotated.body).toMatchObject({ rotated: 1, unreadable: 0 })
    await second.close()
    const third = await withKeys(next)
    expect(await ask(third, totp(body.uri))).toBe(200)
    await third.close()
    rmSync(home, { recursive: true, force: true })
  })
})

/** The code that an authenticator app shows now. */
function totp(uri: string): string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = secret
    .split('')
    .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const offset = hash[19]! & 15
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
