import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAgentState, disposeAgentState } from '../run/create-agent-state.ts'
import { withAndWithoutSandbox } from '../testing/shell-modes.ts'
import { openTestShell, type TestShell } from '../testing/test-shell.ts'
import bash from '../tools/bash.ts'
import jsRepl from '../tools/js-repl.ts'
import { createProcessPool, type ProcessPool } from './process-pool.ts'

const linux = process.platform === 'linux'
let shells: TestShell[] = []
beforeEach(() => {
  shells = []
})
afterEach(() => Promise.all(shells.map((shell) => shell.close())))

withAndWithoutSandbox((way) =>
  test.runIf(linux)('sessions share pipes, and an idle pool releases all of them', async () => {
    await open(createProcessPool(), 1)[0]?.call(bash, { command: 'true' })
    const before = held()
    const pool = createProcessPool({ idleMs: 200 })
    const sessions = open(pool, 12)
    for (const [number, session] of sessions.entries())
      await session.call(bash, { command: `mkdir -p in; cd in; export WHO=${number}` })
    expect(held().files - before.files).toBeLessThan(20)
    expect(held().children - before.children).toBeLessThanOrEqual(1)
    await vi.waitUntil(() => held().files <= before.files && held().children <= before.children, { timeout: 20_000 })
    const { text } = (await sessions[7]?.call(bash, { command: 'echo $WHO; pwd' })) ?? {}
    expect(text).toContain(`7\n${sessions[7]?.workspace}/in\n`)

    function open(pool: ProcessPool, count: number): TestShell[] {
      const opened = Array.from({ length: count }, () => openTestShell({ ...way, pool }))
      shells.push(...opened)
      return opened
    }
  }),
)

test.runIf(linux)('the supervisor process lives as long as a command runs', async () => {
  const pool = createProcessPool({ idleMs: 50 })
  const shell = openTestShell({ confinement: 'none', pool })
  shells.push(shell)
  await shell.call(bash, { command: 'sleep 60', run_in_background: true })
  const [task] = shell.state.tasks.list()
  await shell.call(bash, { command: 'setsid -f sleep 60 > /dev/null 2>&1' })
  await vi.waitUntil(() => wardens().includes(pool.mark))
  await task?.stop()
  expect(shell.running()).toHaveLength(1)
  // Longer than the idle timeout.
  await shell.call(bash, { command: 'sleep 0.3' })
  expect(wardens()).toContain(pool.mark)
  await shell.close()
  shells = []
  await vi.waitUntil(() => !wardens().includes(pool.mark), { timeout: 25_000 })
})

test('beyond the limit, a new JavaScript session ends the one that was idle longest, with a message', async () => {
  const pool = createProcessPool({ interpreters: 2 })
  const [first, second, third] = Array.from({ length: 3 }, () => openTestShell({ confinement: 'none', pool }))
  shells.push(...([first, second, third] as TestShell[]))
  await first?.call(jsRepl, 'let a = 1')
  await second?.call(jsRepl, 'let b = 2')
  await first?.call(jsRepl, 'a++')
  await third?.call(jsRepl, 'let c = 3')
  expect((await first?.call(jsRepl, 'a'))?.text).toBe('=> 2')
  expect((await second?.call(jsRepl, 'typeof b'))?.text).toBe(
    "The JavaScript session was ended to make room for other chats. Everything declared in it is lost. This call ran in a new session.\n=> 'undefined'",
  )
})

test('an idle JavaScript session ends, and the next call reports it', async () => {
  const shell = openTestShell({ confinement: 'none', pool: createProcessPool({ interpreterIdleMs: 100 }) })
  shells.push(shell)
  await shell.call(jsRepl, 'let a = 1')
  await vi.waitUntil(() => shell.running().length === 0, { timeout: 25_000 })
  expect((await shell.call(jsRepl, 'typeof a')).text).toContain('was ended because it was idle')
  expect((await shell.call(jsRepl, '1')).text).toBe('=> 1')
})

test('a state without its own pool shares one with all others', async () => {
  const states = Array.from({ length: 2 }, () => createAgentState({ workspace: '/tmp', outputFolder: '/tmp/none' }))
  expect(states[0]?.pool).toBe(states[1]?.pool)
  await Promise.all(states.map(disposeAgentState))
})

function held(): { files: number; children: number } {
  return { files: readdirSync('/proc/self/fd').length, children: children().length }
}

function wardens(): string {
  return children()
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
    .join('\n')
}

function children(): string[] {
  const threads = readdirSync('/proc/self/task')
  return threads.flatMap((thread) => {
    return readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' ').filter(Boolean)
  })
}
