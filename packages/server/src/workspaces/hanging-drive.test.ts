import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { createFileGuard } from './file-guard.ts'
import { asyncFiles } from './inspect-folder.ts'

const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'troupe-drive-')))
const drive = path.join(folder, 'drive')
const limitMs = 300
const guard = createFileGuard({ limitMs, script: new URL('../testing/hanging-drive.ts', import.meta.url) })
/** Synchronous calls on the drive that this thread made itself, which a real drive would stop. */
const direct: string[] = []
const hang = (): void => fs.writeFileSync(`${drive}.hangs`, '')
const recover = async (): Promise<void> => {
  fs.rmSync(`${drive}.hangs`, { force: true })
  await expect.poll(async () => (await server.json(`/ai/workspace${scope}`)).status, { timeout: 5000 }).toBe(200)
}
let server: TestServer
const scope = `?workspace=${encodeURIComponent(drive)}`

const files: Record<string, string> = {
  'a.txt': 'one\ntwo\n',
  'AGENTS.md': 'Notes of the drive.',
  '.troupe/config.json': JSON.stringify({ permissions: { deny: ['Read(secret.txt)'] } }),
  '.troupe/agents/mapper.md': '---\ndescription: Draws maps.\n---\nYou draw maps.',
  '.troupe/skills/maps/SKILL.md': '---\nname: maps\ndescription: How to draw maps.\n---\nUse ink.',
  '.troupe/commands/map.md': '---\ndescription: Draw a map\n---\nDraw a map of $ARGUMENTS.',
  '.troupe/hooks/note.ts': `export default { event: 'before-call', run: () => undefined }`,
  '.mcp.json': '{"mcpServers": {}}',
}
const hangNow = `import { defineTool } from '@troupe/core'
  import { z } from 'zod'
  export default defineTool({ description: 'Hangs.', input: z.object({}), readOnly: true, group: 'test',
    execute: async () => { globalThis.hangDrive(); return {} } })`

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(drive, name)), { recursive: true })
    fs.writeFileSync(path.join(drive, name), text)
  }
  Object.assign(globalThis, { hangDrive: hang })
  const calls = fs as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const name of Object.keys(calls).filter((one) => one.endsWith('Sync') && one !== 'closeSync')) {
    const call = calls[name]!
    const noting = (...args: unknown[]): unknown => {
      if (String(args[0]).startsWith(`${drive}/`)) direct.push(`${name} ${String(args[0])}`)
      return call(...args)
    }
    calls[name] = Object.assign(noting, call)
  }
  syncBuiltinESMExports()
  guard.update([drive])
  server = await testServer({
    fileGuard: guard,
    // Never hangs, so that each hang begins between the check and the read.
    folderLanes: {
      files: { ...asyncFiles, stat: async () => fs.statSync(folder, { bigint: true }) },
      mountOf: () => drive,
    },
    tools: { 'hang-now': hangNow },
  })
  await server.json(`/ai/workspace${scope}`, { method: 'PATCH', body: { trusted: true } })
})
afterEach(recover)
afterAll(async () => {
  fs.rmSync(`${drive}.hangs`, { force: true })
  await server.close()
  fs.rmSync(folder, { recursive: true })
})

it('a drive that answers is read by its own thread only', async () => {
  server.script('work', [
    [{ call: { name: 'Read', input: { file_path: 'a.txt' } } }, { call: { name: 'Glob', input: { pattern: '*' } } }],
    [{ call: { name: 'Skill', input: { name: 'maps' } } }],
    [{ call: { name: 'Read', input: { file_path: 'secret.txt' } } }],
    [{ call: { name: 'Edit', input: { file_path: 'a.txt', old_string: 'two', new_string: 'three' } } }],
    [{ text: 'Done.' }],
  ])
  const command = await server.chat('command', '/map Rome', { workspace: drive })
  expect(JSON.stringify(command.message.parts)).toContain('Draw a map of Rome.')
  const { message } = await server.chat('fine', 'work', { workspace: drive, mode: 'accept-edits' })
  const text = JSON.stringify(message.parts)
  for (const part of ['one', 'Use ink.', 'Done.', 'Read(secret.txt)']) expect(text).toContain(part)
  expect(fs.readFileSync(path.join(drive, 'a.txt'), 'utf8')).toBe('one\nthree\n')
  expect(direct).toEqual([])
})

it.each([
  ['Read', { file_path: 'a.txt' }],
  ['Glob', { pattern: '**/*.txt' }],
  ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'four' }],
  ['Bash', { command: 'ls' }],
  ['Task', { name: 'mapper', task: 'Draw.' }],
])('%s on a drive that begins to hang fails soon, and other chats go on', async (name, input) => {
  server.script(`use ${name}`, [
    [{ call: { name: 'Read', input: { file_path: 'a.txt' } } }],
    [{ call: { name: 'HangNow', input: {} } }],
    [{ call: { name, input } }],
    [{ text: 'It hangs.' }],
  ])
  const start = performance.now()
  const [{ message }, other] = await Promise.all([
    server.chat(`hang-${name}`, `use ${name}`, { workspace: drive, mode: 'accept-edits' }),
    server.chat(`other-${name}`, 'hello'),
  ])
  expect(other.status).toBe(200)
  expect(JSON.stringify(message.parts)).toMatch(/does not respond/)
  expect(performance.now() - start).toBeLessThan(limitMs * 20)
  expect((await server.chat(`later-${name}`, 'hello')).status).toBe(200)
})

it.each(['agents', 'skills', 'commands', 'hooks', 'instructions'])(
  'a page that asks for %s of a drive that hangs gets an answer, and the same one as before afterwards',
  async (kind) => {
    const target = `/ai/${kind}${scope}`
    const before = await server.json(target)
    expect(before.status).toBe(200)
    hang()
    const start = performance.now()
    const during = await server.json<{ error?: { name: string } }>(target)
    expect([200, 503]).toContain(during.status)
    expect(performance.now() - start).toBeLessThan(limitMs * 20)
    await recover()
    expect((await server.json(target)).body).toEqual(before.body)
  },
)

it('nothing of this was read by the thread of the server', () => {
  expect(direct).toEqual([])
})
