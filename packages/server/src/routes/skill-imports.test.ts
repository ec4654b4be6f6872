import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../../test/test-server.ts'

let server: TestServer
let source: string
beforeAll(async () => {
  server = await testServer()
  source = path.join(server.workspace.path, 'repo')
  put('repo/pdf/SKILL.md', '---\nname: pdf\ndescription: About pdf.\n---\nDo pdf.')
  put('repo/pdf/notes.md', 'x')
})
afterAll(() => server.close())

interface Staged {
  import: { id: string; skills: { name: string; files: { name: string }[] }[]; problems: { message: string }[] }
}
const put = (name: string, text: string): void => {
  const file = path.join(server.workspace.path, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const stage = (body: object) => server.json<Staged>('/ai/skills/imports', { method: 'POST', body })
const waiting = (): string[] => readdirSync(path.join(server.homePath, 'imports'))

test('skills of a folder are seen first, and theirs once they are trusted', async () => {
  const { status, body } = await stage({ path: source })
  expect(status).toBe(201)
  expect(body.import.skills).toMatchObject([{ name: 'pdf', files: [{ name: 'SKILL.md' }, { name: 'notes.md' }] }])
  expect(existsSync(path.join(server.homePath, 'skills'))).toBe(false)
  const { body: done } = await server.json(`/ai/skills/imports/${body.import.id}`, { method: 'POST' })
  expect(done).toEqual({ imported: [path.join(server.homePath, 'skills', 'pdf')] })
  expect(waiting()).toEqual([])
  const again = await stage({ path: source })
  const refused = await server.json(`/ai/skills/imports/${again.body.import.id}`, { method: 'POST' })
  expect(refused).toMatchObject({ status: 422, body: { error: { name: 'SkillsRefused' } } })
  expect((await server.json(`/ai/skills/imports/${again.body.import.id}`, { method: 'DELETE' })).status).toBe(200)
  expect(waiting()).toEqual([])
})

test('an archive comes as bytes', async () => {
  put('repo/csv/SKILL.md', '---\nname: csv\ndescription: About csv.\n---\nDo csv.')
  const file = path.join(server.workspace.path, 'csv.tar')
  execFileSync('tar', ['-cf', file, '-C', source, 'csv'])
  const sent = await server.request('/ai/blobs', {
    method: 'POST',
    body: readFileSync(file),
    headers: { 'content-type': 'application/x-tar' },
  })
  const { sha256 } = (await sent.json()) as { sha256: string }
  const { body } = await stage({ blob: sha256 })
  expect(body.import.skills).toMatchObject([{ name: 'csv' }])
  await server.json(`/ai/skills/imports/${body.import.id}`, { method: 'DELETE' })
  expect(waiting()).toEqual([])
})

test('what is no skill, and what is not there, is refused with the reason', async () => {
  expect(await stage({ path: '/nowhere/at/all' })).toMatchObject({
    status: 422,
    body: { error: { message: 'There is no /nowhere/at/all.' } },
  })
  expect(await stage({ path: 'repo' })).toMatchObject({ status: 422 })
  expect(await stage({ blob: '0'.repeat(64) })).toMatchObject({ status: 404 })
})

test('hooks are listed with what they are about', async () => {
  put('.troupe/config.json', JSON.stringify({ hooks: { ask: [{ command: 'true', match: 'Bash' }] } }))
  expect((await server.json('/ai/hooks')).body).toEqual({ hooks: [], problems: [] })
  await server.json('/ai/workspace', { method: 'PATCH', body: { trusted: true } })
  expect((await server.json<{ hooks: object[] }>('/ai/hooks')).body.hooks).toEqual([
    {
      event: 'ask',
      source: path.join(server.workspace.path, '.troupe', 'config.json'),
      scope: 'project',
      match: ['Bash'],
      command: 'true',
      timeoutMs: 30_000,
    },
  ])
})
