import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeEach(async () => {
  server = await testServer()
})
afterEach(() => server.close())

interface Answer {
  path: string
  text: string
  version: string
  error?: { name: string; message: string; data: Record<string, unknown> }
}
interface Listed {
  skills: { name: string; path: string; enabled: boolean }[]
  problems: { path: string }[]
}
const draft = { name: 'tides', scope: 'home', description: 'About "tides": when: always', instructions: 'Look it up.' }
const add = (body: object) => server.json<Answer>('/ai/skills', { body })
const list = async () => (await server.json<Listed>('/ai/skills')).body
const at = (file: string) => `path=${encodeURIComponent(file)}`
const read = async (file: string) => (await server.json<Answer>(`/ai/skills/text?${at(file)}`)).body
const write = (body: object) => server.json<Answer>('/ai/skills/text', { method: 'PATCH', body })
const system = () => JSON.stringify(server.model.calls.at(-1)?.prompt.filter(({ role }) => role === 'system'))

test('a skill is created, edited, turned off and deleted', async () => {
  const { status, body } = await add(draft)
  expect(status).toBe(201)
  expect(await list()).toMatchObject({ skills: [{ name: 'tides', enabled: true }], problems: [] })
  expect((await add(draft)).body.error?.name).toBe('SkillExists')
  const { text, version } = await read(body.path)
  const next = text.replace('Look it up.', '# A comment\nAsk the harbor.').replace('name: tides', 'name: tides # mine')
  expect((await write({ path: body.path, text: next, version })).status).toBe(200)
  expect(readFileSync(body.path, 'utf8')).toBe(next)
  await server.chat('s1', 'hello')
  expect(system()).toContain('tides')
  await server.json('/ai/skills', { method: 'PATCH', body: { name: 'tides', enabled: false } })
  expect((await list()).skills[0]?.enabled).toBe(false)
  await server.chat('s2', 'hello')
  expect(system()).not.toContain('tides')
  await server.json(`/ai/skills?${at(body.path)}`, { method: 'DELETE' })
  expect(existsSync(path.dirname(body.path))).toBe(false)
})

test('an invalid text is refused with its line, and a file that changed on disk is not overwritten', async () => {
  const { body } = await add(draft)
  const { text, version } = await read(body.path)
  const bad = await write({ path: body.path, text: text.replace('name: tides', 'name: Other Name'), version })
  expect(bad.body.error).toMatchObject({ name: 'BadSkill', data: { line: 2 } })
  expect(bad.body.error?.message).toContain('line 2')
  writeFileSync(body.path, text.replace('Look', 'Do not look'))
  const stale = await write({ path: body.path, text, version })
  expect(stale.body.error).toMatchObject({
    name: 'FileChanged',
    data: { text: expect.stringContaining('Do not look') },
  })
})

test('a broken skill can be read and fixed, and nothing else', async () => {
  const file = path.join(server.homePath, 'skills', 'half', 'SKILL.md')
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'no front matter')
  expect((await list()).problems.map((one) => one.path)).toEqual([file])
  const { version } = await read(file)
  const text = '---\nname: half\ndescription: Whole now.\n---\nDo it.\n'
  expect((await write({ path: file, text, version })).status).toBe(200)
  expect((await read(path.join(server.homePath, 'config.json'))).error?.name).toBe('SkillNotFound')
})

test('a folder needs trust, and a link is not followed', async () => {
  expect((await add({ ...draft, scope: 'project' })).body.error?.name).toBe('FolderNotTrusted')
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  const { body } = await add({ ...draft, scope: 'project' })
  expect(body.path).toBe(path.join(server.workspace.path, '.agents', 'skills', 'tides', 'SKILL.md'))
  const outside = path.join(path.dirname(server.homePath), 'elsewhere')
  mkdirSync(outside)
  writeFileSync(path.join(outside, 'SKILL.md'), '---\nname: linked\ndescription: Elsewhere.\n---\nDo it.\n')
  mkdirSync(path.join(server.homePath, 'skills'), { recursive: true })
  symlinkSync(outside, path.join(server.homePath, 'skills', 'linked'))
  const linked = path.join(server.homePath, 'skills', 'linked', 'SKILL.md')
  expect((await read(linked)).error?.name).toBe('FileNotEditable')
  const removed = await server.json<Answer>(`/ai/skills?${at(linked)}`, { method: 'DELETE' })
  expect(removed.body.error?.name).toBe('FileNotEditable')
  expect(existsSync(path.join(outside, 'SKILL.md'))).toBe(true)
})
