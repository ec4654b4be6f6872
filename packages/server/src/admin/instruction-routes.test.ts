import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { InstructionsInfo } from '@troupe/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
let folder: string
beforeAll(async () => {
  server = await testServer()
  folder = path.dirname(server.homePath)
})
afterAll(() => server.close())

type Answer = InstructionsInfo & { error?: { name: string; message: string; data: Record<string, string> } }
const get = async () => (await server.json<Answer>('/ai/instructions')).body
const change = (body: object) => server.json<Answer>('/ai/instructions', { method: 'PATCH', body })
/** The system prompt of the newest model call. */
const system = () => JSON.stringify(server.model.calls.at(-1)?.prompt.filter(({ role }) => role === 'system'))

test('instructions for all chats take effect at the next message, also in a chat that has begun', async () => {
  await server.chat('s_person', 'hello')
  expect(system()).not.toContain('Answer in rhymes')
  const { person } = await get()
  const { status, body } = await change({ scope: 'person', text: 'Answer in rhymes.', version: person.version })
  expect(status).toBe(200)
  expect(body.person).toMatchObject({ text: 'Answer in rhymes.\n', active: true, tokens: 5 })
  expect(readFileSync(path.join(server.homePath, 'AGENTS.md'), 'utf8')).toBe('Answer in rhymes.\n')
  await server.chat('s_person', 'again')
  expect(system()).toContain('Answer in rhymes.')
  const context = await server.json<{ pieces: { kind: string; name: string; tokens: number }[] }>(
    '/ai/sessions/s_person/context',
  )
  expect(context.body.pieces).toContainEqual(
    expect.objectContaining({ kind: 'instructions', name: `notes ${path.join(server.homePath, 'AGENTS.md')}` }),
  )
})

test('a file that changed on disk is not overwritten', async () => {
  const file = path.join(server.homePath, 'AGENTS.md')
  const { person } = await get()
  writeFileSync(file, 'Written by another program.\n')
  const { status, body } = await change({ scope: 'person', text: 'Mine.', version: person.version })
  expect(status).toBe(409)
  expect(body.error).toMatchObject({ name: 'FileChanged', data: { text: 'Written by another program.\n' } })
  expect(readFileSync(file, 'utf8')).toBe('Written by another program.\n')
  const again = await change({ scope: 'person', text: 'Mine.', version: body.error?.data['version'] })
  expect(again.body.person.text).toBe('Mine.\n')
})

test('instructions of the folder go to the file that agents read, with its line ends and mode', async () => {
  const workspace = path.join(folder, 'workspace')
  const file = path.join(workspace, 'CLAUDE.md')
  writeFileSync(file, '\uFEFFOne.\r\nTwo.\r\n')
  chmodSync(file, 0o664)
  const before = (await get()).folder
  expect(before).toMatchObject({ path: file, text: 'One.\nTwo.\n', active: false })
  await change({ scope: 'folder', text: 'One.\nThree.', version: before.version })
  expect(readFileSync(file, 'utf8')).toBe('\uFEFFOne.\r\nThree.\r\n')
  expect(statSync(file).mode & 0o777).toBe(0o664)
  await server.chat('s_folder', 'hello')
  expect(system()).not.toContain('Three.')
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  expect((await get()).folder.active).toBe(true)
  const { version } = (await get()).folder
  await change({ scope: 'folder', text: 'One.\nFour.', version })
  await server.chat('s_folder', 'again')
  expect(system()).toContain('Four.')
})

test('a link out of the folder is neither shown nor written', async () => {
  const outside = path.join(folder, 'outside.md')
  writeFileSync(outside, 'private')
  mkdirSync(path.join(folder, 'hostile'))
  symlinkSync(outside, path.join(folder, 'hostile', 'AGENTS.md'))
  const where = `?workspace=${encodeURIComponent(path.join(folder, 'hostile'))}`
  const { body } = await server.json<Answer>(`/ai/instructions${where}`)
  expect(body.folder).toMatchObject({ text: '', problem: expect.stringContaining('outside of its folder') })
  const { status } = await server.json<Answer>(`/ai/instructions${where}`, {
    method: 'PATCH',
    body: { scope: 'folder', text: 'x', version: body.folder.version },
  })
  expect(status).toBe(409)
  expect(readFileSync(outside, 'utf8')).toBe('private')
})

test('the prompt of the master can be edited and restored, and a changed default is reported', async () => {
  const { master } = await get()
  expect(master).toMatchObject({ text: null, earlierDefault: null })
  expect(master.defaults['en']).toContain('You are the master agent')
  expect(master.defaults['zh']).toBeDefined()
  const empty = await change({ scope: 'master', text: ' ', version: master.version })
  expect(empty.body.error?.name).toBe('BadText')
  const { body } = await change({ scope: 'master', text: 'You are a pirate.', version: master.version, language: 'en' })
  expect(body.master).toMatchObject({ text: 'You are a pirate.', earlierDefault: null })
  await server.chat('s_person', 'who are you?')
  expect(system()).toContain('You are a pirate.')
  expect(system()).not.toContain('You are the master agent')
  const stale = await change({ scope: 'master', text: 'Other.', version: master.version })
  expect(stale.status).toBe(409)
  const restored = await change({ scope: 'master', text: null, version: body.master.version })
  expect(restored.body.master.text).toBeNull()
  await server.chat('s_person', 'and now?')
  expect(system()).toContain('You are the master agent')
})
