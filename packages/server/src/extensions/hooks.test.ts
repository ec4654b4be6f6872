import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

const open: TestServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})
async function start(options: TestServerOptions): Promise<TestServer> {
  const server = await testServer(options)
  open.push(server)
  server.script('time', [[{ call: { name: 'TimeNow', input: {} } }], [{ text: 'Late.' }]])
  return server
}

const denying = (text: string): string => `import { defineHook } from '@troupe/core'
export default defineHook({ event: 'before-call', run: () => ({ decision: 'deny', reason: '${text}' }) })`
const isDenied = async (server: TestServer, sessionId: string): Promise<boolean> =>
  (await server.chat(sessionId, 'time')).types.includes('tool-output-denied')

describe('hooks of a workspace', () => {
  it('in the user’s config apply to every run', async () => {
    const server = await start({
      config: { hooks: { 'before-call': [{ command: 'echo no >&2; exit 2', match: 'TimeNow' }] } },
    })
    expect(await isDenied(server, 's')).toBe(true)
    expect(server.config.warnings()).toEqual([])
  })

  it('of a project, in its config and its folder, wait for trust', async () => {
    const server = await start({})
    const project = path.join(server.workspace.path, '.troupe')
    mkdirSync(path.join(project, 'hooks'), { recursive: true })
    writeFileSync(path.join(project, 'hooks', 'no.ts'), denying('not here'))
    const seen = path.join(server.workspace.path, 'seen')
    const hooks = { 'before-call': [{ command: `touch "${seen}"` }] }
    writeFileSync(path.join(project, 'config.json'), JSON.stringify({ hooks }))
    expect(await isDenied(server, 'a')).toBe(false)
    expect(() => readFileSync(seen)).toThrow('ENOENT')
    await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
    expect(await isDenied(server, 'b')).toBe(true)
    expect(readFileSync(seen, 'utf8')).toBe('')
  })

  it('that cannot be loaded refuse every call and are listed', async () => {
    const home = path.join((await start({})).homePath, '..', 'broken')
    mkdirSync(path.join(home, 'hooks'), { recursive: true })
    writeFileSync(path.join(home, 'hooks', 'half.ts'), 'export default {')
    const server = await start({ home })
    expect(await isDenied(server, 's')).toBe(true)
    const { body } = await server.json<{ problems: { path: string; message: string }[] }>('/ai/tools')
    expect(body.problems).toEqual([
      {
        path: path.join(home, 'hooks', 'half.ts'),
        message: expect.stringContaining('Every tool call is denied') as string,
      },
    ])
  })
})
