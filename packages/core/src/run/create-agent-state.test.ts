import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentState, disposeAgentState } from './create-agent-state.ts'

let base: string
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'state-')))
  for (const name of ['ws', 'more', 'skills']) mkdirSync(path.join(base, name))
  symlinkSync(path.join(base, 'more'), path.join(base, 'link'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

test('a new state begins in its workspace and knows real paths only', () => {
  const state = createAgentState({
    workspace: path.join(base, 'ws'),
    outputFolder: path.join(base, 'session/output'),
    roots: [path.join(base, 'link'), path.join(base, 'ws')],
    readable: [path.join(base, 'skills')],
  })
  expect(state).toMatchObject({
    cwd: path.join(base, 'ws'),
    roots: [path.join(base, 'ws'), path.join(base, 'more')],
    readable: ['session/output', 'session/output/jsx', 'skills'].map((folder) => path.join(base, folder)),
    outputFolder: path.join(base, 'session/output'),
    env: {},
  })
  expect([state.reads.size, state.shownNotes.size, state.resources.size]).toEqual([0, 0, 0])
})

test('resources of a state are disposed once, with its tasks', async () => {
  const state = createAgentState({ workspace: base, outputFolder: path.join(base, 'output') })
  let disposed = 0
  state.resources.set('interpreter', { dispose: () => void disposed++ })
  await disposeAgentState(state)
  await disposeAgentState(state)
  expect(disposed).toBe(1)
  expect(state.tasks.list()).toEqual([])
})
