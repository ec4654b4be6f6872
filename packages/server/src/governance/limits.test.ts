import { afterEach, describe, expect, it } from 'vitest'
import { teamServer, type TeamServer } from './testing/team-server.ts'

describe('limits of people, workspaces and models', () => {
  let server: TeamServer
  afterEach(() => server.close())

  const setLimits = async (limits: object): Promise<void> => {
    const { status } = await server.as('admin').json('/ai/limits', { method: 'PATCH', body: { limits } })
    expect(status).toBe(200)
  }

  it('count what each person uses, and show members only their own', async () => {
    server = await teamServer()
    await server.as('ann').chat('s1', 'hello')
    await server.as('bob').chat('s2', 'hello')
    await server.as('bob').chat('s2', 'again')
    type Usage = { people: { person: string; calls: number }[]; total: { calls: number } }
    const all = (await server.as('admin').json<Usage>('/ai/usage')).body
    const [ann, bob] = [await server.idOf('ann'), await server.idOf('bob')]
    expect(Object.fromEntries(all.people.map(({ person, calls }) => [person, calls]))).toEqual({ [ann]: 1, [bob]: 2 })
    const own = (await server.as('ann').json<Usage>('/ai/usage')).body
    expect(own).toMatchObject({ people: [{ person: ann }], total: { calls: 1 } })
    const csv = await (await server.as('admin').request('/ai/usage/export')).text()
    expect(csv.split('\r\n')[0]).toBe(
      'day,person,folder,model,calls,inputTokens,cachedTokens,outputTokens,cost,unpricedTokens',
    )
    expect(csv).toContain(bob)
    expect(await (await server.as('ann').request('/ai/usage/export')).text()).not.toContain(bob)
  })

  it('stop a person, a workspace and a model, each by its own budget, and others go on', async () => {
    server = await teamServer()
    const [ann, bob] = [await server.idOf('ann'), await server.idOf('bob')]
    const day = new Date().toLocaleDateString('sv')
    const numbers = { calls: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1, cost: 5, unpricedTokens: 0 }
    await server.store.usage.add([{ day, model: 'x/y', folder: '/elsewhere', person: ann, ...numbers }])
    await setLimits({ people: { default: { day: 4 }, byId: { [bob]: { day: 100 } } } })
    const stopped = JSON.stringify((await server.as('ann').chat('s1', 'hello')).message.metadata)
    expect(stopped).toContain('BudgetExceeded')
    expect(stopped).toContain('Ask an admin')
    expect((await server.as('bob').chat('s2', 'hello')).message.parts).toMatchObject([{}, { text: 'You said: hello' }])
    const shown = (await server.as('ann').json<{ budget: object[] }>('/ai/usage')).body.budget
    expect(shown).toEqual([{ of: 'person', period: 'day', limit: 4, spent: 5 }])
    await setLimits({ models: { byId: { 'test/script': { month: 0 } } } })
    expect(JSON.stringify((await server.as('bob').chat('s2', 'hi')).message.metadata)).toContain('of this model')
    await setLimits({ workspaces: { byId: { [server.workspace.path]: { day: 0 } } } })
    expect(JSON.stringify((await server.as('bob').chat('s2', 'ho')).message.metadata)).toContain('of this workspace')
    expect((await server.as('ann').json('/ai/limits')).status).toBe(403)
  })

  it('limit the answers per minute and at a time', async () => {
    server = await teamServer()
    await setLimits({ people: { default: { requestsPerMinute: 2 } } })
    for (const id of ['s1', 's2']) expect((await server.as('ann').chat(id, 'hello')).status).toBe(200)
    const third = await server.as('ann').chat('s3', 'hello')
    expect(third).toMatchObject({ status: 429, error: { name: 'RateLimited', data: { of: 'person', limit: 2 } } })
    expect((await server.as('bob').chat('s4', 'hello')).status).toBe(200)
    await setLimits({ people: { default: { concurrentRuns: 1 } } })
    server.script('wait', [[{ call: { name: 'TestApproval', input: { message: 'Go?' } } }], [{ text: 'Done.' }]])
    expect((await server.as('ann').chat('s5', 'wait')).types).toContain('tool-approval-request')
    expect(await server.as('ann').chat('s6', 'hello')).toMatchObject({ status: 429, error: { name: 'TooManyRuns' } })
    expect((await server.as('bob').chat('s7', 'hello')).status).toBe(200)
  })
})

describe('keys of people', () => {
  let server: TeamServer
  afterEach(() => server.close())

  it('are used in runs of their owner only, and never shown', async () => {
    const seen: string[] = []
    const { createServer } = await import('node:http')
    const shop = createServer((request, response) => {
      seen.push(String(request.headers.authorization))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      )
    })
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const { port } = shop.address() as import('node:net').AddressInfo
    try {
      server = await teamServer()
      await server.config.update((now) => ({
        ...now,
        providers: {
          shop: {
            type: 'openai-compatible',
            baseURL: `http://127.0.0.1:${port}/v1`,
            apiKey: 'sk-organization',
            models: ['m'],
          },
        },
      }))
      const set = { provider: 'shop', apiKey: 'sk-own-of-ann' }
      expect((await server.as('ann').json('/ai/me/keys', { body: set })).body).toMatchObject({ providers: ['shop'] })
      expect((await server.as('admin').json('/ai/me/keys')).body).toMatchObject({ allowed: true, providers: [] })
      for (const who of ['ann', 'bob', 'admin'] as const)
        await server.as(who).chat(`s-${who}`, 'hello', { model: 'shop/m' })
      expect(seen).toEqual(['Bearer sk-own-of-ann', 'Bearer sk-organization', 'Bearer sk-organization'])
      const forbid = (ownKeys: boolean, version: number) =>
        server.as('admin').json('/ai/policy', { method: 'PATCH', body: { policy: { ownKeys }, version } })
      await forbid(false, 0)
      await server.as('ann').chat('s-ann', 'and now', { model: 'shop/m' })
      expect(seen.at(-1)).toBe('Bearer sk-organization')
      const refused = await server.as('ann').json('/ai/me/keys', { body: set })
      expect(refused).toMatchObject({ status: 403, body: { error: { name: 'OwnKeysForbidden' } } })
      await forbid(true, 1)
      await server.as('ann').chat('s-ann', 'once more', { model: 'shop/m' })
      expect(seen.at(-1)).toBe('Bearer sk-own-of-ann')
      await server.as('ann').request('/ai/me/keys/shop', { method: 'DELETE' })
      await server.as('ann').chat('s-ann', 'again', { model: 'shop/m' })
      expect(seen.at(-1)).toBe('Bearer sk-organization')
      const everything = JSON.stringify([
        server.written(),
        server.lines,
        (await server.as('admin').json('/ai/audit?limit=500')).body,
        (await server.as('admin').json('/ai/providers')).body,
      ])
      for (const secret of ['sk-own', 'sk-organization']) expect(everything).not.toContain(secret)
      expect((await server.as('ann').json('/ai/me/keys', { body: { provider: 'nobody', apiKey: 'x' } })).status).toBe(
        404,
      )
    } finally {
      shop.closeAllConnections()
      shop.close()
    }
  })
})
