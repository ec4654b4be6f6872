import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../boot/start-server.ts'
import type { Server } from '../boot/server.ts'
import { createTestDatabase, hasPostgres } from '../testing/postgres.ts'

describe.skipIf(!hasPostgres)('cluster', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-cluster-'))
  let nodes: Server[] = []

  beforeAll(async () => {
    const databaseUrl = await createTestDatabase()
    const start = (name: string) =>
      startServer({
        home: path.join(folder, name),
        workspace: folder,
        port: 0,
        probe: false,
        log: (line) => void (process.env['DEBUG'] && process.stderr.write(line)),
        cluster: { databaseUrl, secret: 'secret', folder: path.join(folder, 'shared'), drainMs: 2000 },
      })
    nodes = await Promise.all([start('a'), start('b'), start('c')])
  })

  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers a chat on every node', async () => {
    const [a, b, c] = nodes as [Server, Server, Server]
    const first = await chat(a, 's1', 'm1', 'hello')
    expect(first.status).toBe(200)
    expect(await first.text()).toContain('"type":"finish"')
    const second = await chat(b, 's1', 'm2', 'hello again')
    expect(await second.text()).toContain('"type":"finish"')
    const shown = (await (await request(c, '/ai/sessions/s1/messages')).json()) as { messages: { role: string }[] }
    expect(shown.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })
})

function chat(node: Server, sessionId: string, id: string, text: string): Promise<Response> {
  return request(node, '/ai/chat', {
    method: 'POST',
    body: JSON.stringify({ sessionId, message: { id, role: 'user', parts: [{ type: 'text', text }] } }),
  })
}

function request(node: Server, target: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${node.token}`, 'content-type': 'application/json' }
  return fetch(`http://127.0.0.1:${node.port}${target}`, { ...init, headers })
}
