import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, play } from '../../testing/play-run.ts'
import { decide } from '../permission/decide.ts'
import { createPolicy, type Policy } from '../permission/policy.ts'
import { inSandbox } from '../testing/shell-modes.ts'
import { openTestShell, type TestShell } from '../testing/test-shell.ts'
import type { Ask } from '../tool/asks.ts'
import { checkTool } from '../tool/tool.ts'
import bash from '../tools/bash.ts'
import jsRepl from '../tools/js-repl.ts'

inSandbox('a run with a sandbox', (way) => {
  let shell: TestShell
  beforeEach(() => {
    shell = openTestShell(way)
  })
  afterEach(() => shell.close())

  async function running(input: object, policy: Partial<Policy> = {}): Promise<{ text: string; asked: Ask[] }> {
    const asked: Ask[] = []
    const outcome = await play(
      [[{ call: { name: 'Bash', id: 'c1', input } }], [{ text: 'done' }]],
      [checkTool(bash, 'bash')],
      {
        state: () => shell.state,
        decide: (one, ctx) => decide(one, ctx, createPolicy({}, { sandbox: true, ...policy })),
      },
      (ask) => {
        asked.push(ask)
        return { type: 'approve' }
      },
    )
    const part = call(outcome, 'c1') as unknown as {
      toolMetadata?: { troupe: { modelText: string } }
      errorText?: string
    }
    return { text: part.toolMetadata?.troupe.modelText ?? part.errorText ?? '', asked }
  }

  test('a command that seems to only read runs without asking, cannot write, and asks with writes: true', async () => {
    const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: shell.workspace })
    git('init', '-q')
    writeFileSync(path.join(shell.workspace, 'file'), 'one\n')
    git('add', '.')
    git('config', 'diff.external', 'touch made #')
    writeFileSync(path.join(shell.workspace, 'file'), 'two\n')
    const first = await running({ command: 'git diff' })
    expect(first.asked).toEqual([])
    expect(first.text).toContain('run it again with "writes": true')
    expect(existsSync(path.join(shell.workspace, 'made'))).toBe(false)
    const second = await running({ command: 'git diff', writes: true })
    expect(second.asked).toHaveLength(1)
    expect(existsSync(path.join(shell.workspace, 'made'))).toBe(true)
  })

  test('a command that clearly writes asks, and then can write only the workspace', async () => {
    const { text, asked } = await running({ command: 'touch made; touch /usr/made' })
    expect(asked).toHaveLength(1)
    expect(existsSync(path.join(shell.workspace, 'made'))).toBe(true)
    expect(text).toContain('Read-only file system')
  })

  test('a guarded place is written only by a command that named it, and after a yes', async () => {
    const file = path.join(shell.workspace, '.mcp.json')
    const hidden = await running({ command: `touch made && sh -c 'p=.mcp; echo x > "$p.json"'` })
    expect(hidden.asked).toHaveLength(1)
    expect(existsSync(path.join(shell.workspace, 'made'))).toBe(true)
    const named = await running({ command: 'echo {} > .mcp.json' })
    expect(named.asked).toHaveLength(1)
    expect(named.text).toContain('Exit code 0')
    expect(readFileSync(file, 'utf8')).toBe('{}\n')
  })

  test('leaving the sandbox asks, even with accepted edits, and then there is none', async () => {
    const outside = await running(
      { command: 'readlink /proc/self/ns/net', outside_sandbox: true },
      { mode: 'accept-edits' },
    )
    expect(outside.asked).toMatchObject([{ title: 'Run a command, outside the sandbox' }])
    expect(outside.text).toContain(readlinkSync('/proc/self/ns/net'))
    const inside = await running(
      { command: 'echo /proc/self/ns/net | xargs readlink; touch made' },
      { mode: 'accept-edits' },
    )
    expect(inside.asked).toEqual([])
    expect(inside.text).not.toContain(readlinkSync('/proc/self/ns/net'))
    expect(existsSync(path.join(shell.workspace, 'made'))).toBe(true)
  })

  test('JavaScript has no network, regardless of its permission', async () => {
    await shell.call(jsRepl, '1', { granted: { confinement: 'none', grants: [] } })
    const inside = shell
      .running()
      .filter(({ pid }) => readlinkSync(`/proc/${pid}/exe`) === realpathSync(process.execPath))
    expect(inside.length).toBe(1)
    expect(readlinkSync(`/proc/${inside[0]!.pid}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'))
  })
})
