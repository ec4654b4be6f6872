import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ToolCallResult } from '@troupe/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
let other: string
beforeAll(async () => {
  server = await testServer()
  other = mkdtempSync(path.join(tmpdir(), 'troupe-other-'))
  writeFileSync(path.join(other, 'note.txt'), 'confidential')
})
afterAll(async () => {
  await server.close()
  rmSync(other, { recursive: true, force: true })
})

const read = (sessionId: string, workspace?: string) =>
  server.json<{ result: ToolCallResult; error: { name: string } }>(
    `/ai/tools/Read/call${workspace === undefined ? '' : `?workspace=${encodeURIComponent(workspace)}`}`,
    { body: { input: { file_path: path.join(other, 'note.txt') }, sessionId } },
  )

it('a call with a session of another workspace is rejected, and reads nothing there', async () => {
  server.script('look', [[{ call: { name: 'Read', input: { file_path: 'note.txt' } } }], [{ text: 'done' }]])
  await server.chat('theirs', userMessage('look', 'u1'), { workspace: other })
  expect((await read('theirs', other)).body.result.text).toContain('confidential')
  expect(await read('theirs')).toMatchObject({ status: 404, body: { error: { name: 'SessionNotFound' } } })
})

it('an id used in one workspace reaches nothing from another', async () => {
  expect((await read('any', other)).body.result.text).toContain('confidential')
  expect((await read('any')).body.result).toMatchObject({ state: 'output-denied', output: null })
})
