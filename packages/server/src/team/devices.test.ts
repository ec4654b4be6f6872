import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SqlStore } from '../stores/sql/sql-store.ts'
import { createAuthenticator } from './testing/authenticator.ts'
import { type Browser, publicUrl, type TestTeam, testTeam } from './testing/test-team.ts'

let team: TestTeam
let mia: Browser & { id: string }
let sam: Browser & { id: string }
beforeAll(async () => {
  team = await testTeam()
  mia = await team.join('Mia', 'member')
  sam = await team.join('Sam', 'member')
})
afterAll(() => team.close())

interface Code {
  deviceCode: string
  userCode: string
  url: string
  urlWithCode: string
}

const start = async (name = 'troupe on a laptop') =>
  (await team.browser().json<Code>('/ai/device', { body: { name } })).body
let later = 0
const poll = ({ deviceCode }: Code) => {
  // The server wants two seconds between two polls.
  later += 6000
  vi.useFakeTimers({ now: Date.now() + later, toFake: ['Date'] })
  return team
    .browser()
    .json<{ token?: string; status?: string; error?: { name: string } }>('/ai/device/token', { body: { deviceCode } })
    .finally(() => vi.useRealTimers())
}
const answer = (browser: Browser, { userCode }: Code, approve: boolean) =>
  browser.json('/ai/device/answer', { body: { userCode, approve } })

describe('a device', () => {
  it('signs in once a person has confirmed its code', async () => {
    const code = await start()
    expect(code.userCode).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/)
    // In the fragment, which no server and no referrer gets.
    expect(code.urlWithCode).toBe(`${publicUrl}/#device=${code.userCode}`)
    expect((await poll(code)).body).toEqual({ status: 'pending' })
    expect((await mia.json('/ai/device/lookup', { body: { userCode: code.userCode.toLowerCase() } })).body).toEqual({
      name: 'troupe on a laptop',
    })
    // Nobody else can confirm it now.
    expect((await answer(sam, code, true)).status).toBe(404)
    expect((await answer(mia, code, true)).status).toBe(204)
    const { body } = await poll(code)
    expect((await poll(code)).status).toBe(403)
    const device = (target: string, init = {}) =>
      team.browser().json(target, { ...init, headers: { authorization: `Bearer ${body.token}` } })
    expect((await device('/ai/me')).body).toMatchObject({ person: { id: mia.id } })
    expect((await device('/ai/sessions', { body: { id: 'by-device' } })).status).toBe(201)
    // A stolen device token can neither make others nor manage the account.
    for (const [target, given] of [
      ['/ai/account/tokens', { name: 'x', scopes: ['read'] }],
      ['/ai/account/password', { current: 'x', next: 'a long password' }],
      ['/ai/device/answer', { userCode: 'AAAA-AAAA', approve: true }],
    ] as const)
      expect((await device(target, { body: given })).status).toBe(403)
    // Nor does it work as a cookie.
    const browser = team.browser()
    browser.cookies.set('__Host-troupe.session_token', body.token!)
    expect((await browser.json('/ai/sessions')).status).toBe(401)
    const { body: listed } = await mia.json<{ sessions: { id: string; kind: string; userAgent: string }[] }>(
      '/ai/account/sessions',
    )
    const own = listed.sessions.find(({ kind }) => kind === 'device')!
    expect(own.userAgent).toBe('troupe on a laptop')
    await mia.json(`/ai/account/sessions/${own.id}`, { method: 'DELETE' })
    expect((await device('/ai/sessions')).status).toBe(401)
  })

  it('is refused by a person, by time, and without a code', async () => {
    const code = await start()
    await answer(mia, code, false)
    expect((await poll(code)).body.error?.name).toBe('DeviceDenied')
    const late = await start()
    vi.useFakeTimers({ now: Date.now() + 11 * 60 * 1000, toFake: ['Date'] })
    expect((await answer(mia, late, true)).status).toBe(404)
    vi.useRealTimers()
    expect((await poll({ ...code, deviceCode: 'guessed' })).body.error?.name).toBe('DeviceExpired')
  })

  it('code cannot be guessed', async () => {
    await (team.store as SqlStore).db.deleteFrom('rate_limit').execute()
    const statuses: number[] = []
    for (let i = 0; i < 12; i++)
      statuses.push((await mia.json('/ai/device/lookup', { body: { userCode: `AAAA-AA${i}` } })).status)
    expect(statuses.slice(-3)).toEqual([404, 429, 429])
  })

  it('polls as often as it was told', async () => {
    const code = await start()
    const body = { deviceCode: code.deviceCode }
    await team.browser().json('/ai/device/token', { body })
    expect((await team.browser().json('/ai/device/token', { body })).body).toEqual({ status: 'slow-down' })
  })
})

describe('a passkey', () => {
  const device = createAuthenticator({ origin: publicUrl, rpId: 'team.example' })
  const options = async (browser: Browser, target: string) =>
    (await browser.json<{ options: { challenge: string } }>(target, { method: 'POST' })).body.options

  it('is added by its person and signs in without a password', async () => {
    const response = device.register(await options(mia, '/ai/account/passkeys/options'))
    const added = await mia.json<{ passkey: { id: string } }>('/ai/account/passkeys', {
      body: { name: 'Phone', response },
    })
    expect([added.status, added.body]).toMatchObject([201, { passkey: { name: 'Phone' } }])
    const browser = team.browser()
    const challenge = await options(browser, '/ai/account/passkey-options')
    const signed = device.signIn(challenge)
    expect((await browser.json('/ai/account/passkey', { body: { response: signed } })).body).toEqual({
      status: 'signed-in',
    })
    expect((await browser.json('/ai/me')).body).toMatchObject({ person: { id: mia.id } })
    // The same answer again, or one for another site.
    expect((await browser.json('/ai/account/passkey', { body: { response: signed } })).status).toBe(401)
    const phished = createAuthenticator({ origin: 'https://evil.example', rpId: 'team.example' })
    const other = team.browser()
    const wrong = phished.signIn(await options(other, '/ai/account/passkey-options'))
    expect((await other.json('/ai/account/passkey', { body: { response: wrong } })).status).toBe(401)

    expect((await sam.json(`/ai/account/passkeys/${added.body.passkey.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await mia.json('/ai/account/passkeys')).body).toMatchObject({ passkeys: [{ name: 'Phone' }] })
    expect((await mia.json(`/ai/account/passkeys/${added.body.passkey.id}`, { method: 'DELETE' })).status).toBe(200)
    const late = team.browser()
    const removed = device.signIn(await options(late, '/ai/account/passkey-options'))
    expect((await late.json('/ai/account/passkey', { body: { response: removed } })).status).toBe(401)
  })

  it('is added only soon after signing in', async () => {
    vi.useFakeTimers({ now: Date.now() + 20 * 60 * 1000, toFake: ['Date'] })
    const { body } = await mia.json('/ai/account/passkeys/options', { method: 'POST' })
    vi.useRealTimers()
    expect(body.error.name).toBe('SignInAgain')
  })
})
