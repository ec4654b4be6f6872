import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { call, play, probe } from '../../testing/play-run.ts'
import { createHooks, hooksConfigSchema, loadHooks } from './load-hooks.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-hooks-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = () => ({ base: folder, home: folder })

async function playWith(hooks: ReturnType<typeof createHooks>): Promise<{ ran: string[]; denied: string | undefined }> {
  const ran: string[] = []
  const tools = ['Change', 'Look'].map((name) =>
    probe(name, false, [], { execute: () => (ran.push(name), Promise.resolve(name)) }),
  )
  const outcome = await play(
    [['Change', 'Look'].map((name) => ({ call: { name, input: {}, id: name } })), [{ text: 'over' }]],
    tools,
    { hooks, workspace: { id: 'w', path: folder } },
  )
  const { approval } = call(outcome, 'Change') as unknown as { approval?: { reason: string } }
  return { ran, denied: approval?.reason }
}

it('a file in the hooks folder is a hook, for the calls that it matches', async () => {
  writeFileSync(
    path.join(folder, 'no-change.ts'),
    `import { defineHook } from '@troupe/core'
     export default defineHook({
       event: 'before-call', match: 'change',
       run: ({ toolName }) => ({ decision: 'deny', reason: toolName + ' is not for today' }),
     })`,
  )
  const { hooks, problems } = loadHooks([folder, path.join(folder, 'missing')], place())
  expect(problems).toEqual([])
  expect(await playWith(hooks)).toEqual({ ran: ['Look'], denied: 'Change is not for today' })
})

it('an invalid answer denies', async () => {
  writeFileSync(
    path.join(folder, 'odd.js'),
    `export default { event: 'before-call', run: () => ({ decision: 'perhaps' }) }`,
  )
  const { denied, ran } = await playWith(loadHooks([folder], place()).hooks)
  expect(denied).toMatch(/odd\.js failed: its output is invalid/)
  expect(ran).toEqual([])
})

it.each([
  ['throws', `throw new Error('broken on purpose')`],
  ['exports nothing', `export const a = 1`],
  ['names no event', `export default { event: 'sometimes', run: () => undefined }`],
  ['has nothing to run', `export default { event: 'ask' }`],
  ['has no time', `export default { event: 'ask', timeoutMs: 0, run: () => undefined }`],
])('a file that %s is reported and denies every call until it is put right', async (_, text) => {
  writeFileSync(path.join(folder, `hook-${Math.random().toString(36).slice(2)}.js`), text)
  const { hooks, problems } = loadHooks([folder], place())
  expect(problems).toHaveLength(1)
  const { ran, denied } = await playWith(hooks)
  expect(ran).toEqual([])
  expect(denied).toMatch(/could not be loaded/)
})

it('commands of a config are hooks, in the order of the file', async () => {
  mkdirSync(path.join(folder, 'log'))
  const config = hooksConfigSchema.parse({
    'before-call': [
      { command: 'cat > log/first.json' },
      { command: 'echo "not this" >&2; exit 2', match: ['Change', 'Other'] },
    ],
  })
  const hooks = createHooks(config, { source: '~/.troupe/config.json', ...place() })
  expect(await playWith(hooks)).toEqual({ ran: ['Look'], denied: 'not this' })
  const failing = createHooks({ 'before-call': [{ command: 'exit 3' }] }, { source: 'config.json', ...place() })
  expect((await playWith(failing)).denied).toBe(
    'The hook before-call 1 in config.json failed: it failed with exit code 3',
  )
  expect(createHooks(undefined, { source: 'config.json', ...place() })).toEqual([])
})
