import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withAndWithoutSandbox } from '../testing/shell-modes.ts'
import { openTestShell, type TestShell } from '../testing/test-shell.ts'
import bash from '../tools/bash.ts'
import execCommand from '../tools/exec-command.ts'
import { isAlive, membersOf } from './processes.ts'
import { createTasks, type Task } from './tasks.ts'

let shell: TestShell
beforeEach(() => {
  shell = openTestShell()
})
afterEach(() => shell.close())

test('after its end, nothing can be started in a session', async () => {
  await shell.call(bash, { command: 'sleep 60', run_in_background: true })
  await shell.state.tasks.dispose()
  expect(shell.running()).toEqual([])
  await expect(shell.call(bash, { command: 'true' })).rejects.toThrow('The chat has ended')
})

test('an ended task can be read and keeps nothing else of its call', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const conversation = await callWith()
  await vi.waitUntil(
    () => {
      collect()
      return conversation.deref() === undefined
    },
    { timeout: 25_000, interval: 50 },
  )
  expect(shell.state.tasks.list().map((task) => task.read().text)).toEqual(['said\n', 'typed\r\n'])

  async function callWith(): Promise<WeakRef<object>> {
    const session = { id: 'session-1', messages: [] }
    await shell.call(bash, { command: 'echo said', run_in_background: true }, { session })
    await shell.call(execCommand, { cmd: 'echo typed' }, { session })
    await Promise.all(shell.state.tasks.list().map((task) => task.ended))
    return new WeakRef(session)
  }
})

test('tasks that have ended are forgotten, oldest first, when they are many or have printed much', () => {
  const tasks = createTasks({ mark: 'test', watch: () => undefined })
  const add = (id: string, printed: number, status: Task['status'] = 'ended'): void =>
    tasks.add({
      id,
      status,
      pid: 0x7fffffff,
      ended: Promise.resolve(),
      read: () => ({ text: '', next: printed, lost: 0 }),
    } as unknown as Task)
  add('running', 9, 'running')
  for (let i = 0; i < 310; i++) add(`small-${i}`, 10)
  expect(tasks.list()).toHaveLength(301)
  expect(tasks.get('small-9')).toBeUndefined()
  for (let i = 0; i < 40; i++) add(`large-${i}`, 5 << 20)
  expect(tasks.list().map(({ id }) => id)).toEqual([
    'running',
    ...Array.from({ length: 32 }, (_, i) => `large-${i + 8}`),
  ])
})

withAndWithoutSandbox(({ confinement }) =>
  test('background processes end when our process is killed', async () => {
    const program = `
    import { findSandbox } from ${JSON.stringify(path.join(import.meta.dirname, '../sandbox/find-sandbox.ts'))}
    import { openTestShell } from ${JSON.stringify(path.join(import.meta.dirname, '../testing/test-shell.ts'))}
    import bash from ${JSON.stringify(path.join(import.meta.dirname, '../tools/bash.ts'))}
    const shell = openTestShell({ confinement: '${confinement}', ...(await findSandbox()) })
    await shell.call(bash, { command: 'trap "" TERM; echo up; sleep 600', run_in_background: true })
    await shell.call(bash, { command: 'setsid sleep 600 > /dev/null 2>&1 &' })
    console.log(JSON.stringify({ mark: shell.state.tasks.mark, workspace: shell.workspace }))
    setInterval(() => undefined, 1000)`
    const child = spawn(process.execPath, ['--conditions=troupe-source', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { mark, workspace } = JSON.parse(String(line)) as { mark: string; workspace: string }
    const running = membersOf({ mark: `${mark}.` }, { fresh: true })
    expect(running.map(({ pid }) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()).toSorted()).toEqual([
      'bash',
      // Outer and first process of the background command, and the first process of the detached one.
      ...(confinement === 'none' ? [] : ['bwrap', 'bwrap', 'bwrap']),
      'sleep',
      'sleep',
    ])
    child.kill('SIGKILL')
    await vi.waitUntil(() => !running.some(isAlive), { timeout: 25_000 })
    for (const folder of [workspace, `${workspace}-output`]) rmSync(folder, { recursive: true, force: true })
  }),
)
