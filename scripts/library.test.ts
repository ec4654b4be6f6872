import { chatSession, createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { createModels } from '@troupe/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testServer } from '../packages/server/src/testing/test-server.ts'
import { type WireProvider, wireServer, type WireServer } from '../packages/server/src/testing/wire-server.ts'

/** Covers the parts the library's turns share with the workspace: its store, and the wire of real provider packages. */
describe('a conversation of a program', () => {
  it('opens in the workspace, and continues there and back in the program', async () => {
    const server = await testServer({ listen: false })
    const model = scriptedModel((prompt) =>
      prompt.length > 1 && prompt.at(-1)?.role === 'user'
        ? [{ text: `${prompt.length} messages` }]
        : [{ text: 'Hello.' }],
    )
    const agent = createAgent({ name: 'host', model, workspace: server.workspace.path })
    const session = chatSession({ store: server.store, workspace: server.workspace.path })
    agent.use(session)
    const id = session.activate()
    await agent.turn().input('Who is there?').run().result()

    const listed = await server.json<{ sessions: { id: string; title: string }[] }>('/ai/sessions')
    expect(listed.body.sessions).toMatchObject([{ id, title: 'Who is there?' }])
    const texts = async (): Promise<string[]> =>
      (await server.messages(id)).map(
        ({ role, parts }) => `${role}: ${parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('')}`,
      )
    expect(await texts()).toEqual(['user: Who is there?', 'assistant: Hello.'])

    await server.chat(id, 'me')
    expect(await texts()).toEqual(['user: Who is there?', 'assistant: Hello.', 'user: me', 'assistant: You said: me'])

    const { data } = await agent.turn().input('and now?').run().result()
    expect(data).toBe('5 messages')
    expect(await texts()).toHaveLength(6)
    await server.close()
  })
})

describe('over the wire', () => {
  let wire: WireServer
  beforeAll(async () => {
    wire = await wireServer()
  })
  afterAll(() => wire.close())

  const schema = z.object({ title: z.string(), emoji: z.string(), items: z.array(z.object({ n: z.number() })) })
  const answer = { title: 'Über "all"', emoji: '😀', items: [{ n: 0.95 }, { n: 42 }] }

  const agentOf = async (provider: WireProvider) => {
    const models = createModels({
      settings: () => ({ [provider]: { apiKey: 'key', baseURL: wire.baseURL(provider), models: ['m'] } }),
      env: {},
      defaultModel: () => undefined,
      probe: false,
    })
    const { model } = await models.resolveChatModel(`${provider}/m`)
    return createAgent({ name: 'wired', model })
  }

  it.each(['openai', 'anthropic', 'google', 'deepseek'] as const)(
    'a typed answer of %s is the same for every way to split its bytes',
    async (provider) => {
      const agent = await agentOf(provider)
      for (const chunkBytes of [1, 7, 64]) {
        wire.clear()
        wire.play({ turn: { text: JSON.stringify(answer, null, 1) }, chunkBytes })
        const run = agent.turn().input('q').output(schema).run()
        expect(await run.key('items[0].n')).toBe(0.95)
        expect((await run.result()).data).toEqual(answer)
        expect(wire.requests).toHaveLength(1)
      }
    },
  )

  it('a provider that supports structured output gets the schema', async () => {
    const agent = await agentOf('openai')
    wire.clear()
    wire.play({ turn: { text: JSON.stringify(answer) } }, { turn: { text: '{}' } })
    await agent.turn().input('q').output(schema).run().result()
    await agent
      .turn()
      .input('q')
      .output(z.object({ maybe: z.string().optional() }))
      .run()
      .result()
    const formats = wire.requests.map(
      ({ body }) => (body as { text?: { format?: { type: string } } }).text?.format?.type,
    )
    expect(formats).toEqual(['json_schema', undefined])
  })

  it('an answer that the wire cut is an error of the provider, for keys and for the result', async () => {
    const agent = await agentOf('openai')
    wire.clear()
    wire.play({ turn: { text: JSON.stringify(answer) }, fault: 'cut-stream', at: 0.6 })
    const run = agent.turn().input('q').output(schema).run()
    await expect(run.result()).rejects.toMatchObject({
      name: expect.stringMatching(/^Provider/),
      data: { retryable: true },
    })
    await expect(run.key('items')).rejects.toMatchObject({ name: expect.stringMatching(/^Provider/) })
  })

  it('a refused key is reported', async () => {
    const agent = await agentOf('anthropic')
    wire.clear()
    wire.play({ fault: 'unauthorized' })
    await expect(agent.turn().input('q').run().result()).rejects.toMatchObject({ name: 'ProviderAuth' })
  })
})
