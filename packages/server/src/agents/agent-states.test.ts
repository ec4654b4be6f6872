import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentState, Session } from '@troupe/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAgentStates } from './agent-states.ts'

let home: string
let workspace: { path: string }
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'troupe-home-'))
  workspace = { path: mkdtempSync(path.join(tmpdir(), 'troupe-workspace-')) }
})
afterEach(() => {
  for (const folder of [home, workspace.path]) rmSync(folder, { recursive: true, force: true })
})

const session = (id: string): Session => ({ id }) as Session

async function change({ undo }: AgentState, sessionId: string, content: string): Promise<void> {
  const file = path.join(workspace.path, sessionId)
  writeFileSync(file, content)
  const mark = { sessionId, messageId: 'm', runId: 'r', step: 1, toolCallId: 'c' }
  const open = await undo.before(mark, file, Buffer.from(content))
  writeFileSync(file, 'new')
  await open.done(Buffer.from('new'))
}

function kept(): string {
  const files = readdirSync(path.join(home, 'undo'), { recursive: true, withFileTypes: true })
  return files
    .filter((one) => one.isFile())
    .map((one) => readFileSync(path.join(one.parentPath, one.name), 'utf8'))
    .join('\n')
}

it('the undo data of a deleted session is deleted, and no other', async () => {
  const states = createAgentStates(home)
  await change(states.of(session('deleted'), workspace), 'deleted', 'the old secret')
  await change(states.of(session('stays'), workspace), 'stays', 'the old plan')
  await states.drop('deleted')
  expect(kept()).not.toMatch(/secret|deleted/)
  expect(kept()).toContain('the old plan')
  await states.close()
})

it('the end of the process keeps it: the next one can undo', async () => {
  const states = createAgentStates(home)
  await change(states.of(session('one'), workspace), 'one', 'before')
  await states.close()
  const { undo } = createAgentStates(home).of(session('one'), workspace)
  expect((await undo.undo(await undo.list({ sessionId: 'one' }))).skipped).toEqual([])
  expect(readFileSync(path.join(workspace.path, 'one'), 'utf8')).toBe('before')
})
