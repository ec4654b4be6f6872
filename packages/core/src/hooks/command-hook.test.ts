import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HookAnswer, HookOccasion } from './hook.ts'
import { runCommandHook } from './load-hooks.ts'

let workspace: string
beforeEach(() => {
  workspace = mkdtempSync(path.join(tmpdir(), 'troupe-hook-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

function run(
  command: string,
  signal = AbortSignal.timeout(20_000),
  env?: NodeJS.ProcessEnv,
): Promise<HookAnswer | undefined> {
  const occasion: HookOccasion = {
    event: 'before-call',
    sessionId: 's',
    runId: 'r',
    messageId: 'm',
    agentPath: ['master'],
    workspace,
    cwd: workspace,
    toolCallId: 'c',
    toolName: 'Bash',
    input: { command: 'echo "hello"\n' },
  }
  return runCommandHook(command, occasion, signal, { env })
}

describe('a hook that is a command', () => {
  it('reads the event from standard input, in the workspace, and need not answer', async () => {
    expect(await run('cat > seen.json')).toBeUndefined()
    expect(JSON.parse(readFileSync(path.join(workspace, 'seen.json'), 'utf8'))).toMatchObject({
      event: 'before-call',
      toolName: 'Bash',
      input: { command: 'echo "hello"\n' },
    })
  })

  it('answers with JSON', async () => {
    const answer = { decision: 'ask', reason: 'look', input: { command: 'ls' }, context: 'c' }
    expect(await run(`echo '${JSON.stringify({ ...answer, more: 1 })}'`)).toEqual(answer)
  })

  it('denies with exit code 2 and its standard error', async () => {
    expect(await run('echo "no pushes" >&2; exit 2')).toEqual({ decision: 'deny', reason: 'no pushes' })
    expect(await run('exit 2')).toEqual({ decision: 'deny', reason: 'It gave no reason.' })
  })

  it.each([
    ['exit code 1: oops', 'echo oops >&2; exit 1'],
    ['exit code 127', 'no-such-program-anywhere'],
    ['a signal', 'kill -9 $$'],
    ['not valid JSON', 'echo fine'],
    ['is invalid', 'echo \'{"decision": "maybe"}\''],
    ['is invalid', 'echo null'],
    ['longer than', 'head -c 2000000 /dev/zero'],
  ])('fails with %s', async (message, command) => {
    await expect(run(command)).rejects.toThrow(message)
  })

  it('that does not read is answered all the same', async () => {
    expect(await run('exec <&-; echo "{}"')).toEqual({})
  })

  it('is ended, with everything that it started, when its time is over', async () => {
    const controller = new AbortController()
    const running = run(
      '(while [ ! -e go ]; do sleep 0.02; done; touch survived) & touch started; wait',
      controller.signal,
    )
    await expect.poll(() => existsSync(path.join(workspace, 'started'))).toBe(true)
    controller.abort(new Error('too late'))
    await expect(running).rejects.toThrow('too late')
    await run('touch go')
    await run('for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; done')
    expect(existsSync(path.join(workspace, 'survived'))).toBe(false)
  })

  it('does not wait for background processes', async () => {
    const begun = performance.now()
    expect(await run('sleep 30 & echo $! > pid; echo "{}"')).toEqual({})
    expect(performance.now() - begun).toBeLessThan(20_000)
    process.kill(Number(readFileSync(path.join(workspace, 'pid'), 'utf8')), 'SIGKILL')
  })

  it('sees no key of ours', async () => {
    const env = { PATH: process.env['PATH'], HOME: workspace, OPENAI_API_KEY: 'sk-secret', TROUPE_TOKEN: 'x' }
    await run('env > seen', undefined, env)
    const seen = readFileSync(path.join(workspace, 'seen'), 'utf8')
    expect(seen).toContain(`HOME=${workspace}`)
    expect(seen).not.toMatch(/sk-secret|TROUPE_TOKEN/)
  })
})
