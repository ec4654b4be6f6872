import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

test.each([
  ['a password', 'url = https://me:hunter2-hunter2@git.example/a.git', 'hunter2-hunter2'],
  ['a token as the name', 'url = https://ghp_0123456789abcdef@git.example/a.git', 'ghp_0123456789abcdef'],
  ['a token behind a name', 'pushurl = https://oauth2:glpat-0123456789@git.example/a.git', 'glpat-0123456789'],
  ['a header', '[http]\n\textraheader = AUTHORIZATION: basic eDpnaHNfMDEyMw==', 'eDpnaHNfMDEyMw=='],
])('%s in .git/config reaches neither the model nor the history', async (name, line, secret) => {
  const folder = path.join(server.workspace.path, '.git')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'config'), `[remote "origin"]\n\t${line}\n`)
  const text = `read it: ${name}`
  server.script(text, [[{ call: { name: 'Read', input: { file_path: '.git/config' } } }], [{ text: 'done' }]])
  const { message } = await server.chat(`git-${secret.slice(0, 4)}`, text)
  expect(JSON.stringify(message)).toContain('[redacted]')
  expect(JSON.stringify(message)).not.toContain(secret)
  expect(JSON.stringify(server.model.calls)).not.toContain(secret)
})
