import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { readChat, testServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})
async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await testServer(options)
  open.push(server)
  return server
}

const modeOf = async (server: TestServer, id: string): Promise<unknown> =>
  (await server.json<{ session: { mode: string } }>(`/ai/sessions/${id}`)).body.session?.mode

const move = `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Moves on.', input: z.object({ mode: z.string() }), readOnly: true, group: 'test',
  async execute({ mode }, ctx) { const before = ctx.mode.get(); await ctx.mode.set(mode); return [before, ctx.mode.get()] },
})`

describe('the mode of a session', () => {
  it('is set with a message, kept with the session, shown and exported', async () => {
    const server = await start()
    await server.chat('s', 'hello', { mode: 'plan' })
    expect(await modeOf(server, 's')).toBe('plan')
    await server.chat('s', 'again')
    expect(await modeOf(server, 's')).toBe('plan')
    await server.chat('s', 'more', { mode: 'accept-edits' })
    expect(await modeOf(server, 's')).toBe('accept-edits')
    const exported = readFileSync(path.join(server.homePath, 'sessions', 's', 'session.json'), 'utf8')
    expect(JSON.parse(exported)).toMatchObject({ mode: 'accept-edits', rules: [] })
    const created = await server.json('/ai/sessions', { body: { id: 'made', mode: 'plan' } })
    expect(created).toMatchObject({ status: 201, body: { session: { mode: 'plan' } } })
    const patched = await server.json('/ai/sessions/made', {
      method: 'PATCH',
      body: { mode: 'default', title: 'Mine' },
    })
    expect(patched).toMatchObject({ status: 200, body: { session: { mode: 'default', title: 'Mine' } } })
  })

  it('that is unknown is rejected with the known ones, and nothing changes', async () => {
    const server = await start()
    await server.json('/ai/sessions', { body: { id: 's' } })
    const before = server.written()
    const unknown = {
      status: 422,
      body: { error: { name: 'UnknownMode', data: { modes: ['default', 'accept-edits', 'plan', 'bypass'] } } },
    }
    expect(await server.json('/ai/sessions/s', { method: 'PATCH', body: { mode: 'yolo', title: 'x' } })).toMatchObject(
      unknown,
    )
    expect(await server.json('/ai/sessions', { body: { mode: 'yolo' } })).toMatchObject(unknown)
    expect(await server.chat('new', 'hello', { mode: 'yolo' })).toMatchObject({
      status: 422,
      error: { name: 'UnknownMode' },
    })
    expect(await server.chat('new', 'hello', { rules: { allow: ['Bash('] } })).toMatchObject({
      status: 422,
      error: { name: 'BadRule' },
    })
    expect(server.written()).toEqual(before)
  })

  it('can be bypass only if the server was started with it', async () => {
    const server = await start()
    const refused = { name: 'BypassNotAllowed', message: expect.stringContaining('--allow-bypass') as string }
    expect(await server.chat('s', 'hello', { mode: 'bypass' })).toMatchObject({ status: 403, error: refused })
    expect(await server.json('/ai/sessions', { body: { mode: 'bypass' } })).toMatchObject({ status: 403 })
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-modes-'))
    const place = { home: path.join(folder, 'home'), workspace: path.join(folder, 'work') }
    const config = { permissions: { mode: 'bypass' } }
    const free = await testServer({ ...place, config, allowBypass: true })
    await free.chat('s', 'hello')
    expect(await modeOf(free, 's')).toBe('bypass')
    await free.close()
    // Without the flag, bypass in the config or in a stored session has no effect.
    const careful = await start(place)
    expect(await modeOf(careful, 's')).toBe('default')
    await careful.chat('t', 'hello')
    expect(await modeOf(careful, 't')).toBe('default')
    careful.script('write', [
      [{ call: { name: 'Write', input: { file_path: path.join(place.workspace, 'x'), content: 'x' } } }],
      [{ text: 'Done.' }],
    ])
    expect((await careful.chat('s', 'write')).types).toContain('tool-approval-request')
    rmSync(folder, { recursive: true })
  })

  it('starts with the mode in the config', async () => {
    const server = await start({ config: { permissions: { mode: 'plan' } } })
    await server.chat('s', 'hello')
    expect(await modeOf(server, 's')).toBe('plan')
    const created = await server.json<{ session: { id: string; mode: string } }>('/ai/sessions', { body: {} })
    expect(created.body.session.mode).toBe('plan')
    writeFileSync(path.join(server.homePath, 'config.json'), JSON.stringify({ permissions: { mode: 'yolo' } }))
    // The file is looked at once per turn of the event loop.
    await nextTurn()
    await server.chat('t', 'hello')
    expect(await modeOf(server, 't')).toBe('default')
    expect(await modeOf(server, 's')).toBe('plan')
    const { body } = await server.json<{ warnings: string[] }>('/ai/rules')
    expect(body.warnings).toEqual([expect.stringContaining('"yolo" is not one of')])
  })

  it('is changed by a tool, stored, and reported to followers', async () => {
    const server = await start({ tools: { move } })
    server.script('go', [[{ call: { name: 'Move', input: { mode: 'accept-edits' } } }], [{ text: 'Done.' }]])
    const chat = await server.chat('s', 'go', { mode: 'plan' })
    expect(chat.message.parts).toContainEqual(expect.objectContaining({ output: ['plan', 'accept-edits'] }))
    expect(chat.events.map(({ chunk }) => chunk)).toContainEqual({
      type: 'data-ui-event',
      data: { name: 'session-mode', data: { sessionId: 's', mode: 'accept-edits' } },
      transient: true,
    })
    expect(await modeOf(server, 's')).toBe('accept-edits')
    server.script('never', [[{ call: { name: 'Move', input: { mode: 'bypass' } } }], [{ text: 'Not.' }]])
    const refused = await server.chat('s', 'never')
    expect(refused.message.parts).toContainEqual(
      expect.objectContaining({ errorText: expect.stringContaining('--allow-bypass') as string }),
    )
  })

  it('applies to the next call of a running run, and its followers get the change', async () => {
    const server = await start()
    const write = (name: string): object => ({
      call: { name: 'Write', input: { file_path: path.join(server.workspace.path, name), content: 'x' } },
    })
    server.script('write', [[write('one.txt') as never], [write('two.txt') as never], [{ text: 'Written.' }]])
    await server.chat('s', 'write')
    const followed = readChat(await server.request('/ai/chat/s/stream'))
    await server.json('/ai/sessions/s', { method: 'PATCH', body: { mode: 'accept-edits' } })
    const [ask] = (await server.json<{ asks: { id: string }[] }>('/ai/asks?sessionId=s')).body.asks
    await server.json(`/ai/asks/${ask!.id}`, { body: { answer: { type: 'approve' } } })
    const chat = await followed
    expect(chat.types).toContain('data-ui-event')
    expect(chat.types.filter((type) => type === 'tool-approval-request')).toHaveLength(1)
    expect(readFileSync(path.join(server.workspace.path, 'two.txt'), 'utf8')).toBe('x')
  })

  it('plan allows no writes, regardless of rules', async () => {
    const server = await start({ config: { permissions: { allow: ['Write', 'Bash'] } } })
    const file = path.join(server.workspace.path, 'one.txt')
    server.script('write', [
      [{ call: { name: 'Write', input: { file_path: file, content: 'x' } } }],
      [{ call: { name: 'Bash', input: { command: `echo x > ${file}` } } }],
      [{ text: 'Not.' }],
    ])
    const chat = await server.chat('s', 'write', { mode: 'plan' })
    expect(chat.types.filter((type) => type === 'tool-output-denied')).toHaveLength(2)
    expect(() => readFileSync(file)).toThrow('ENOENT')
  })
})
