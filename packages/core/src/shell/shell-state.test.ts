import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { play } from '../../testing/play-run.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import type { AgentState } from '../tool/agent-state.ts'
import { checkTool } from '../tool/tool.ts'
import bash from '../tools/bash.ts'

let folder: string
let state: AgentState
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-remember-'))
  state = createAgentState({ workspace: folder, outputFolder: path.join(folder, 'output') })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const exporting = { name: 'Bash', input: { command: 'export PATH=/evil:$PATH PLAIN=1 GIT_DIR=/x' } }

async function run(decision: 'allow' | 'ask', mode: 'default' | 'bypass' = 'default'): Promise<string> {
  const { message } = await play(
    [[{ call: exporting }], [{ text: 'done' }]],
    [checkTool({ ...bash, name: 'Bash' }, 'Bash')],
    {
      workspace: { id: 'w1', path: folder },
      state: () => state,
      mode: { get: () => mode, set: () => Promise.resolve() },
      decide: () => Promise.resolve({ decision, reason: 'So it is.', rule: null }),
    },
  )
  return JSON.stringify(message.parts)
}

test('variables exported by an unapproved command are kept unless they affect other programs', async () => {
  const told = await run('allow')
  expect(state.env).toEqual({ PLAIN: '1' })
  expect(told).toContain('Not carried over to the next command, because this one ran without approval: GIT_DIR, PATH.')
})

test('variables of an approved command are kept', async () => {
  const told = await run('ask')
  expect(state.env).toMatchObject({ PLAIN: '1', GIT_DIR: '/x', PATH: expect.stringMatching(/^\/evil:/) })
  expect(told).not.toContain('Not carried over')
})

test('earlier variables are unchanged', async () => {
  state.env = { GIT_DIR: '/mine' }
  await run('allow')
  expect(state.env).toEqual({ PLAIN: '1', GIT_DIR: '/mine' })
})

test('in bypass mode, everything is kept', async () => {
  await run('allow', 'bypass')
  expect(state.env).toMatchObject({ GIT_DIR: '/x' })
})
