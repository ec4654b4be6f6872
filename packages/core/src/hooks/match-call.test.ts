import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, play } from '../../testing/play-run.ts'
import { decide } from '../permission/decide.ts'
import { createPolicy } from '../permission/policy.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { testToolContext } from '../testing/index.ts'
import type { AgentState } from '../tool/agent-state.ts'
import { inDialect } from '../tool/tool-aliases.ts'
import { getTools } from '../tool/tool-set.ts'
import type { Tool } from '../tool/tool.ts'
import { createMatcher, type Hook } from './hook.ts'

let folder: string
let state: AgentState
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-match-')))
  state = createAgentState({ workspace: folder, outputFolder: path.join(folder, '.output') })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function meets(match: string | string[] | undefined, name: string, input: object): Promise<boolean> {
  const tool = getTools([name])[0] as Tool
  const { meets: isMet } = createMatcher(match, { base: folder, home: folder })
  return (await isMet?.({ tool, input: tool.input.parse(input) }, testToolContext({ state }))) ?? true
}

const bash = (command: string): [string, object] => ['Bash', { command }]
const edit = (file: string): [string, object] => ['Edit', { file_path: file, old_string: 'a', new_string: 'b' }]

describe('the match of a hook', () => {
  it.each<[string | string[], [string, object], boolean]>([
    ['Bash', bash('ls'), true],
    ['shell', bash('ls'), true],
    ['Read', bash('cat src/a.ts'), true],
    ['Bash(git push *)', bash('git push origin main'), true],
    ['Bash(git push *)', bash('git status'), false],
    ['Bash(git push *)', bash("cd src && sh -c 'git push --force'"), true],
    ['Edit(src/**)', edit('src/deep/a.ts'), true],
    ['Edit(src/**)', edit('docs/a.md'), false],
    ['Edit(src/**)', ['Write', { file_path: 'src/a.ts', content: '' }], true],
    [['TimeNow', 'Edit(docs/**)'], edit('docs/a.md'), true],
    [['TimeNow', 'Edit(docs/**)'], bash('ls'), false],
    ['WebFetch(domain:example.com)', ['WebFetch', { url: 'https://www.example.com/a', prompt: 'x' }], true],
    ['*', bash('ls'), true],
  ])('%j and %j: %s', async (match, call, expected) => {
    expect(await meets(match, ...call)).toBe(expected)
  })

  it('absent means every call, and a tool is met under each of its names', async () => {
    expect(await meets(undefined, ...bash('ls'))).toBe(true)
    const [shell] = inDialect(getTools(['Bash']), 'openai/codex-large')
    const input = shell?.input.parse({ command: ['git', 'push'] })
    const { meets: isMet } = createMatcher('Bash(git push *)', { base: folder, home: folder })
    expect(await isMet?.({ tool: shell as Tool, input }, testToolContext({ state }))).toBe(true)
  })

  it('that cannot be read fails at every call', async () => {
    await expect(meets('Bash(', 'TimeNow', {})).rejects.toThrow('its "match" is invalid')
  })
})

describe('a hook that allows, combined with rules', () => {
  const allowing: Hook = {
    name: 'yes',
    event: 'before-call',
    timeoutMs: 1000,
    run: () => Promise.resolve({ decision: 'allow' }),
  }

  async function stateOf(
    name: string,
    input: object,
    rules: Parameters<typeof createPolicy>[0] = {},
    mode?: 'plan',
  ): Promise<string> {
    const outcome = await play(
      [[{ call: { name, input, id: 'c1' } }], [{ text: 'over' }]],
      getTools([name]),
      {
        state: () => state,
        workspace: { id: 'w', path: folder },
        hooks: [allowing],
        decide: (asked, ctx) => decide(asked, ctx, createPolicy(rules, { base: folder, mode })),
      },
      () => ({ type: 'deny', remark: 'a person was asked' }),
    )
    const { state: ended, approval } = call(outcome, 'c1') as unknown as {
      state: string
      approval?: { reason?: string }
    }
    return ended === 'output-denied' ? (approval?.reason === 'a person was asked' ? 'asked' : 'denied') : ended
  }

  it('allows tool calls that would ask by default, but nothing that rules, modes or the never-run list block', async () => {
    const write = (file: string): [string, object] => ['Write', { file_path: file, content: 'x\n' }]
    expect(await stateOf(...write('a.txt'))).toBe('output-available')
    expect(await stateOf(...write('a.txt'), { ask: ['Edit(a.txt)'] })).toBe('asked')
    expect(await stateOf(...write('a.txt'), { deny: ['Edit(a.txt)'] })).toBe('denied')
    expect(await stateOf(...write('.troupe/config.json'))).toBe('asked')
    expect(await stateOf(...write('b.txt'), {}, 'plan')).toBe('denied')
    expect(await stateOf('Bash', { command: 'rm -rf /' })).toBe('denied')
    expect(await stateOf('Bash', { command: 'touch made.txt' })).toBe('output-available')
  })
})
