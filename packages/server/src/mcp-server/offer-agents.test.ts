import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ServerContext } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { exposeAgents, type ExposedTool } from './exposed-tools.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
  mkdirSync(path.join(server.homePath, 'agents'))
  writeFileSync(
    path.join(server.homePath, 'agents', 'shy.md'),
    '---\ndescription: Hides.\nhidden: true\n---\n\nYou are shy.',
  )
  await server.chat('private', 'my secret is 42')
})
afterAll(() => server.close())

const ctx = {
  mcpReq: { signal: new AbortController().signal, notify: () => Promise.resolve(), log: () => Promise.resolve() },
} as unknown as ServerContext

async function offered(
  sessions?: string[],
): Promise<(input: Record<string, unknown>) => ReturnType<ExposedTool['call']>> {
  const [tool] = await exposeAgents({
    fetch: (target, init) => server.fetch(target, init),
    agents: ['master'],
    version: '1',
    sessions,
  })
  return (input) => tool!.call(input, ctx)
}

test('hidden agents are available only if they are named', async () => {
  const names = async (agents?: string[]) =>
    (
      await exposeAgents({
        fetch: (target, init) => server.fetch(target, init),
        version: '1',
        agents,
      })
    ).map(({ name }) => name)
  expect(await names()).toContain('agent_explore')
  expect(await names()).not.toContain('agent_shy')
  expect(await names(['shy'])).toEqual(['agent_shy'])
})

test('an agent continues only sessions that it started', async () => {
  const call = await offered()
  const { structuredContent } = await call({ prompt: 'hello' })
  const { session } = structuredContent as { session: string }
  expect((await call({ prompt: 'and again', session })).structuredContent).toMatchObject({ session })
  const before = (await server.store.sessions.get('private'))?.messageCount
  for (const named of ['private', 'nowhere', '../x', 7])
    await expect(call({ prompt: 'what is my secret?', session: named })).rejects.toThrow('an earlier call')
  expect((await server.store.sessions.get('private'))?.messageCount).toBe(before)
  expect(await server.store.sessions.get('nowhere')).toBeUndefined()
  const other = await offered()
  await expect(other({ prompt: 'x', session })).rejects.toThrow('an earlier call')
})

test('a session named at startup can be continued', async () => {
  const call = await offered(['private'])
  expect((await call({ prompt: 'go on', session: 'private' })).structuredContent).toMatchObject({ session: 'private' })
})
