import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inBothWays } from '../shell/in-both-ways.ts'
import { openTestShell, type TestShell } from '../shell/open-test-shell.ts'
import execCommand from './exec-command.ts'
import writeStdin from './write-stdin.ts'

inBothWays((way) => {
  let shell: TestShell
  beforeEach(() => {
    shell = openTestShell(way)
  })
  afterEach(() => shell.close())

  const exec = (cmd: string, more: object = {}) => shell.call(execCommand, { cmd, ...more })
  const write = (id: string, more: object) => shell.call(writeStdin, { session_id: id, ...more })

  test('a command that ends returns what it printed and its exit code, without waiting', async () => {
    const begun = performance.now()
    const { output, text } = await exec('[ -t 0 ] && [ -t 1 ] && echo terminal; exit 4')
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(output).toMatchObject({ status: 'ended', exitCode: 4, text: 'terminal\r\n' })
    expect(text).toMatch(/^terminal\n\nIt ended with exit code 4 after/)
  })

  test('a prompt is answered', async () => {
    const begun = performance.now()
    const { output, text } = await exec('read -p "name? " name; echo "hello $name"')
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(output).toMatchObject({ status: 'running', text: 'name? ' })
    expect(text).toContain(`WriteStdin {"session_id": "${output.task_id}"}`)
    const answer = await write(output.task_id, { chars: 'Ada\n', yield_time_ms: 5000 })
    expect(answer.output).toMatchObject({ status: 'ended', exitCode: 0, text: 'Ada\r\nhello Ada\r\n' })
  })

  test('a program that reads without a prompt is known to wait', async () => {
    const begun = performance.now()
    const { output } = await exec('echo ready; cat', { yield_time_ms: 20_000 })
    expect(performance.now() - begun).toBeLessThan(5000)
    expect(output).toMatchObject({ status: 'running', text: 'ready\r\n' })
    expect((await write(output.task_id, { chars: 'x\n' })).text).toMatch(/^x\nx\n/)
  })

  test('each look shows only what is new', async () => {
    const { output } = await exec('bash --norc -i', { yield_time_ms: 5000 })
    const one = await write(output.task_id, { chars: 'echo a$((1+1))\n', yield_time_ms: 5000 })
    expect(one.output.text).toContain('a2')
    const two = await write(output.task_id, { chars: 'echo b$((1+2))\n', yield_time_ms: 5000 })
    expect(two.output.text).toContain('b3')
    expect(two.output.text).not.toContain('a2')
    const none = await write(output.task_id, { yield_time_ms: 10 })
    expect(none.text).toMatch(/^Nothing new was printed/)
  })

  test('Control-C interrupts what runs, not the session', async () => {
    const { output } = await exec('bash --norc -i')
    await write(output.task_id, { chars: 'sleep 60; echo "ended with $?"\n' })
    await write(output.task_id, { chars: '\u0003' })
    const { output: after } = await write(output.task_id, { chars: 'echo on\n', yield_time_ms: 5000 })
    expect(after).toMatchObject({ status: 'running' })
    expect(after.text).toContain('on\r\n')
  })

  test('Control-C reaches the command itself, which goes on if it likes, and Control-Z does not hold it', async () => {
    const { output } = await exec(`trap 'echo caught' INT; echo up; cat; echo after; read -r`)
    await write(output.task_id, { chars: '\u001a', yield_time_ms: 300 })
    const { output: interrupted } = await write(output.task_id, { chars: '\u0003', yield_time_ms: 5000 })
    expect(interrupted.text).toMatch(/caught\r\nafter\r\n$/)
    expect(interrupted.status).toBe('running')
    const { output: ended } = await write(output.task_id, { chars: '\n', yield_time_ms: 5000 })
    expect(ended).toMatchObject({ status: 'ended', exitCode: 0 })
  })

  test('a terminal has the size it was given, and takes another', async () => {
    const { output } = await exec('stty size; read -r; stty size', { cols: 91, rows: 17 })
    expect(output.text).toBe('17 91\r\n')
    const { output: resized } = await write(output.task_id, {
      resize: { cols: 50, rows: 9 },
      chars: '\n',
      yield_time_ms: 5000,
    })
    expect(resized.text).toContain('9 50')
  })

  test('a session is ended with everything in it', async () => {
    const { output } = await exec(`trap '' HUP TERM; sleep 60 & setsid sleep 60 & echo up; cat`)
    const ended = await write(output.task_id, { end: true, yield_time_ms: 0 })
    expect(ended.output.status).toBe('stopped')
    expect(shell.running()).toEqual([])
    await expect(write(output.task_id, { chars: 'x' })).rejects.toThrow('cannot be typed into any more')
  })

  test('control characters are for the card, not for the model', async () => {
    const { output, text } = await exec(String.raw`printf '\e]0;t\a\e[31mred\e[0m\n10%%\r99%%\nx\by\n'`)
    expect(output.text).toContain('\x1b[31mred')
    expect(execCommand.display!(output, {} as never).content).toMatchObject({ kind: 'terminal', text: output.text })
    expect(text).toMatch(/^red\n99%\ny\n\n/)
  })

  test('without a tty there are pipes, and Control-D ends the input', async () => {
    const { output } = await exec('[ -t 0 ] || echo pipe; wc -l', { tty: false, yield_time_ms: 3000 })
    expect(output).toMatchObject({ text: 'pipe\n', status: 'running' })
    await expect(write(output.task_id, { resize: { cols: 10, rows: 10 } })).rejects.toThrow('has no terminal')
    const { output: ended } = await write(output.task_id, { chars: 'a\nb\n\u0004', yield_time_ms: 5000 })
    expect(ended).toMatchObject({ text: '2\n', status: 'ended', exitCode: 0 })
  })

  test('a folder to run in is checked like any path', async () => {
    mkdirSync(path.join(shell.workspace, 'sub'))
    expect((await exec('pwd', { workdir: 'sub' })).output.text).toBe(`${path.join(shell.workspace, 'sub')}\r\n`)
    await expect(exec('pwd', { workdir: '/' })).rejects.toThrow('outside the workspace')
  })

  test('at most 16 sessions are open, and none outlives its session', async () => {
    const open = await Promise.all(Array.from({ length: 16 }, () => exec('cat', { yield_time_ms: 0 })))
    await expect(exec('cat')).rejects.toThrow('16 terminals run already')
    await write(open[3]!.output.task_id, { end: true, yield_time_ms: 0 })
    expect((await exec('echo free')).output.text).toBe('free\r\n')
  })

  test('what floods a terminal is held back and keeps only its end', async () => {
    const { output } = await exec('yes', { yield_time_ms: 500 })
    const { output: look } = await write(output.task_id, { end: true })
    expect(look.text.length).toBeLessThan(31_000)
    expect(shell.state.tasks.get(output.task_id)!.read().text.length).toBeLessThanOrEqual(1 << 20)
  })

  test('a stop ends a command that is being waited for', async () => {
    const stop = new AbortController()
    const running = shell.call(execCommand, { cmd: 'sleep 60' }, { signal: stop.signal })
    while (shell.state.tasks.list().length === 0) await new Promise(setImmediate)
    stop.abort(new Error('stopped'))
    await expect(running).rejects.toThrow('stopped')
    expect(shell.running()).toEqual([])
  })
})
