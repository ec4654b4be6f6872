import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type OidcServer, oidcServer } from './testing/oidc-server.ts'
import { type Browser, publicUrl, type TestTeam, testTeam } from './testing/test-team.ts'

let provider: OidcServer
let team: TestTeam
let down: Awaited<ReturnType<Browser['json']>>
beforeAll(async () => {
  provider = await oidcServer({ sub: '1', email: 'ines@corp.example', email_verified: true, name: 'Ines' })
  const { issuer, port } = provider
  // It is down when the server starts.
  await provider.close()
  team = await testTeam({
    providers: [
      {
        id: 'corp',
        name: 'Corp',
        issuer,
        clientId: 'client',
        clientSecret: 'client secret',
        domains: ['corp.example'],
      },
    ],
  })
  down = await team.browser().json('/ai/account/provider', { body: { provider: 'corp' } })
  provider = await oidcServer(provider.claims, port)
})
afterAll(async () => {
  await team.close()
  await provider.close()
})

/** Goes to the provider and back. Returns the address that the browser lands on. */
async function signIn(browser: Browser, start = '/ai/account/provider'): Promise<{ callback: string; landed: string }> {
  const { status, body } = await vi.waitFor(async () => {
    const answer = await browser.json<{ url: string }>(start, { body: { provider: 'corp' } })
    expect(answer.status).not.toBe(503)
    return answer
  }, 10_000)
  expect([status, body.url.startsWith(provider.issuer)]).toEqual([200, true])
  const callback = await provider.authorize(body.url)
  expect(callback.startsWith(`${publicUrl}/ai/account/callback/corp?`)).toBe(true)
  // The browser comes from another site, without the header of the page.
  const target = callback.slice(publicUrl.length)
  const back = await browser.request(target, { headers: { 'x-troupe-page': '', origin: publicUrl } })
  expect(back.status).toBe(302)
  return { callback: target, landed: back.headers.get('location')! }
}

describe('single sign-on', () => {
  it('works once the provider responds, and lets people of its domain join as members', async () => {
    expect([down.status, down.body]).toMatchObject([503, { error: { name: 'ProviderUnavailable' } }])
    const browser = team.browser()
    expect((await browser.json('/ai/me')).body).toMatchObject({ providers: [{ id: 'corp', name: 'Corp' }] })
    const { callback, landed } = await signIn(browser)
    expect(landed).toBe(`${publicUrl}/`)
    expect((await browser.json('/ai/me')).body).toMatchObject({
      person: { email: 'ines@corp.example', role: 'member', hasPassword: false },
    })
    // A second use of the same answer gives nothing, not even in the same browser.
    await browser.json('/ai/account/sign-out', { method: 'POST' })
    for (const replay of [team.browser(), browser]) {
      expect((await replay.request(callback)).headers.get('location')).toMatch(/#sign-in-failed=/)
      expect((await replay.json('/ai/me')).body).toMatchObject({ person: null })
    }
    const again = team.browser()
    await signIn(again)
    expect((await again.json('/ai/me')).body).toMatchObject({ person: { email: 'ines@corp.example' } })
  })

  it('refuses addresses that the provider did not verify', async () => {
    for (const email_verified of [false, undefined, 'yes' as never]) {
      provider.claims = { sub: '2', email: 'new@corp.example', ...(email_verified !== undefined && { email_verified }) }
      const browser = team.browser()
      expect((await signIn(browser)).landed).toMatch(/#sign-in-failed=/)
      expect((await browser.json('/ai/me')).body).toMatchObject({ person: null })
    }
  })

  it('refuses people who are neither invited nor of its domain', async () => {
    provider.claims = { sub: '3', email: 'guest@other.example', email_verified: true }
    expect((await signIn(team.browser())).landed).toBe(`${publicUrl}/#sign-in-failed=not_invited`)
    await team.owner.json('/ai/invitations', { body: { email: 'guest@other.example', role: 'viewer' } })
    const browser = team.browser()
    await signIn(browser)
    expect((await browser.json('/ai/me')).body).toMatchObject({ person: { role: 'viewer' } })
    expect((await team.owner.json('/ai/invitations')).body).toEqual({ invitations: [] })
  })

  it('never opens the account of somebody else, whatever the provider says', async () => {
    provider.claims = { sub: 'liar', email: 'olga@team.example', email_verified: true }
    const browser = team.browser()
    expect((await signIn(browser)).landed).toBe(`${publicUrl}/#sign-in-failed=account_not_linked`)
    expect((await browser.json('/ai/me')).body).toMatchObject({ person: null })
  })

  it('is connected to an account only by its person, with the same address', async () => {
    provider.claims = { sub: 'olga', email: 'else@team.example', email_verified: true }
    expect((await signIn(team.owner, '/ai/account/providers')).landed).toMatch(/#sign-in-failed=/)
    provider.claims = { sub: 'olga', email: 'olga@team.example', email_verified: true }
    expect((await signIn(team.owner, '/ai/account/providers')).landed).toBe(`${publicUrl}/`)
    const browser = team.browser()
    expect((await signIn(browser)).landed).toBe(`${publicUrl}/`)
    expect((await browser.json('/ai/me')).body).toMatchObject({ person: { role: 'owner' } })
  })

  it('does not let a removed member in again', async () => {
    provider.claims = { sub: '1', email: 'ines@corp.example', email_verified: true }
    const browser = team.browser()
    await signIn(browser)
    const { person } = (await browser.json<{ person: { id: string } }>('/ai/me')).body
    expect((await team.owner.json(`/ai/members/${person.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await browser.json('/ai/me')).body).toMatchObject({ person: null })
    const again = team.browser()
    expect((await signIn(again)).landed).toMatch(/#sign-in-failed=/)
    expect((await again.json('/ai/me')).body).toMatchObject({ person: null })
  })

  it('with a state of another browser, or a forged answer, fails', async () => {
    provider.claims = { sub: '9', email: 'max@corp.example', email_verified: true }
    const attacker = team.browser()
    const { body } = await attacker.json<{ url: string }>('/ai/account/provider', { body: { provider: 'corp' } })
    const target = (await provider.authorize(body.url)).slice(publicUrl.length)
    const victim = team.browser()
    expect((await victim.request(target)).headers.get('location')).toMatch(/#sign-in-failed=/)
    expect((await victim.json('/ai/me')).body).toMatchObject({ person: null })
    const forged = await victim.request('/ai/account/callback/corp?code=x&state=y&callbackURL=https://evil.example')
    expect(forged.headers.get('location')).toMatch(/^https:\/\/team\.example\/#sign-in-failed=/)
    expect((await victim.json('/ai/account/provider', { body: { provider: 'other' } })).status).toBe(404)
  })
})
