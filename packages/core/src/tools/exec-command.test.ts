import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test, type TestContext, vi } from 'vitest'
import { withAndWithoutSandbox } from '../testing/shell-modes.ts'
import { openTestShell } from '../testing/test-shell.ts'
import execCommand from './exec-command.ts'
import writeStdin from './write-stdin.ts'

withAndWithoutSandbox((way) => {
  // Most tests wait for quiet, so they run concurrently.
  const open = ({ onTestFinished }: TestContext) => {
    const shell = openTestShell(way, onTestFinished)
    const write = (id: string, more: object) => shell.call(writeStdin, { session_id: id, ...more })
    return {
      shell,
      exec: (cmd: string, more: object = {}) => shell.call(execCommand, { cmd, ...more }),
      write,
      /** Types, then reads until all output has arrived: on a busy machine one read may be too early. */
      async answer(id: string, given: object, whole: RegExp | 'ended') {
        let text = ''
        for (let more = given; ; more = {}) {
          const { output } = await write(id, { yield_time_ms: 5000, ...more })
          text += output.text
          if (output.status !== 'running' || (whole !== 'ended' && whole.test(text))) return { ...output, text }
        }
      },
    }
  }

  test.concurrent('a command that ends returns its output and exit code, without waiting', async (context) => {
    const { exec } = open(context)
    const begun = performance.now()
    const { output, text } = await exec('[ -t 0 ] && [ -t 1 ] && echo terminal; exit 4', { yield_time_ms: 25_000 })
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(output).toMatchObject({ status: 'ended', exitCode: 4, text: 'terminal\r\n' })
    expect(text).toMatch(/^terminal\n\nIt ended with exit code 4 after/)
  })

  test.concurrent('a prompt is answered', async (context) => {
    const { exec, answer } = open(context)
    const begun = performance.now()
    const { output, text } = await exec('read -p "name? " name; echo "hello $name"', { yield_time_ms: 25_000 })
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(output).toMatchObject({ status: 'running', text: 'name? ' })
    expect(text).toContain(`WriteStdin {"session_id": "${output.task_id}"}`)
    expect(await answer(output.task_id, { chars: 'Ada\n' }, 'ended')).toMatchObject({
      status: 'ended',
      exitCode: 0,
      text: 'Ada\r\nhello Ada\r\n',
    })
  })

  test.concurrent('a program that reads without a prompt is known to wait', async (context) => {
    const { exec, answer } = open(context)
    const begun = performance.now()
    const { output } = await exec('echo ready; cat', { yield_time_ms: 25_000 })
    expect(performance.now() - begun).toBeLessThan(20_000)
    expect(output).toMatchObject({ status: 'running', text: 'ready\r\n' })
    expect((await answer(output.task_id, { chars: 'x\n' }, /x.*x/s)).text).toBe('x\r\nx\r\n')
  })

  test.concurrent('each call returns only new output', async (context) => {
    const { exec, write, answer } = open(context)
    const { output } = await exec('bash --norc -i', { yield_time_ms: 5000 })
    await answer(output.task_id, { chars: 'echo a$((1+1))\n' }, /a2\r\n.+[$#] $/)
    const two = await answer(output.task_id, { chars: 'echo b$((1+2))\n' }, /b3\r\n.+[$#] $/)
    expect(two.text).not.toContain('a2')
    const none = await write(output.task_id, { yield_time_ms: 10 })
    expect(none.text).toMatch(/^No new output/)
  })

  test.concurrent('Ctrl+C interrupts the command, not the session', async (context) => {
    const { exec, write, answer } = open(context)
    const { output } = await exec('bash --norc -i')
    await write(output.task_id, { chars: 'sleep 60; echo "ended with $?"\n' })
    await write(output.task_id, { chars: '\u0003' })
    const after = await answer(output.task_id, { chars: 'echo on\n' }, /\non\r\n/)
    expect(after.status).toBe('running')
  })

  test.concurrent('Ctrl+C reaches the command itself, which may continue, and Ctrl+Z does not suspend it', async (context) => {
    const { exec, write, answer } = open(context)
    const { output } = await exec(`trap 'echo caught' INT; echo up; cat; echo after; read -r`)
    await write(output.task_id, { chars: '\u001a', yield_time_ms: 300 })
    const interrupted = await answer(output.task_id, { chars: '\u0003' }, /after\r\n/)
    expect(interrupted.text).toMatch(/caught\r\nafter\r\n$/)
    expect(interrupted.status).toBe('running')
    const ended = await answer(output.task_id, { chars: '\n' }, 'ended')
    expect(ended).toMatchObject({ status: 'ended', exitCode: 0 })
  })

  test.concurrent('a terminal has its given size, and can be resized', async (context) => {
    const { exec, answer } = open(context)
    const { output } = await exec('stty size; read -r; stty size', { cols: 91, rows: 17 })
    expect(output.text).toBe('17 91\r\n')
    const resized = await answer(output.task_id, { resize: { cols: 50, rows: 9 }, chars: '\n' }, 'ended')
    expect(resized.text).toContain('9 50')
  })

  test.concurrent('a session is ended with everything in it', async (context) => {
    const { shell, exec, write } = open(context)
    const { output } = await exec(`trap '' HUP TERM; sleep 60 & setsid sleep 60 & echo up; cat`)
    const ended = await write(output.task_id, { end: true, yield_time_ms: 0 })
    expect(ended.output.status).toBe('stopped')
    expect(shell.running()).toEqual([])
    await expect(write(output.task_id, { chars: 'x' })).rejects.toThrow('no longer accepts input')
  })

  test.concurrent('control characters are for the card, not for the model', async (context) => {
    const { exec } = open(context)
    const { output, text } = await exec(String.raw`printf '\e]0;t\a\e[31mred\e[0m\n10%%\r99%%\nx\by\n'`)
    expect(output.text).toContain('\x1b[31mred')
    expect(execCommand.display!(output, {} as never).content).toMatchObject({ kind: 'terminal', text: output.text })
    expect(text).toMatch(/^red\n99%\ny\n\n/)
  })

  test.concurrent('without a tty there are pipes, and Control-D ends the input', async (context) => {
    const { exec, write, answer } = open(context)
    const { output } = await exec('[ -t 0 ] || echo pipe; wc -l', { tty: false, yield_time_ms: 20_000 })
    expect(output).toMatchObject({ text: 'pipe\n', status: 'running' })
    await expect(write(output.task_id, { resize: { cols: 10, rows: 10 } })).rejects.toThrow('has no terminal')
    const ended = await answer(output.task_id, { chars: 'a\nb\n\u0004' }, 'ended')
    expect(ended).toMatchObject({ text: '2\n', status: 'ended', exitCode: 0 })
  })

  test.concurrent('a folder to run in is checked like any path', async (context) => {
    const { shell, exec } = open(context)
    mkdirSync(path.join(shell.workspace, 'sub'))
    expect((await exec('pwd', { workdir: 'sub' })).output.text).toBe(`${path.join(shell.workspace, 'sub')}\r\n`)
    await expect(exec('pwd', { workdir: '/' })).rejects.toThrow('outside the workspace')
  })

  test.concurrent('at most 16 sessions are open, and none outlives its chat', async (context) => {
    const { exec, write } = open(context)
    const sessions = await Promise.all(Array.from({ length: 16 }, () => exec('cat', { yield_time_ms: 0 })))
    await expect(exec('cat')).rejects.toThrow('The limit of 16 running terminals is reached')
    await write(sessions[3]!.output.task_id, { end: true, yield_time_ms: 0 })
    expect((await exec('echo free')).output.text).toBe('free\r\n')
  })

  test.concurrent('a flood of output is throttled and keeps only its end', async (context) => {
    const { shell, exec, write } = open(context)
    const { output } = await exec('yes', { yield_time_ms: 500 })
    const { output: look } = await write(output.task_id, { end: true })
    expect(look.text.length).toBeLessThan(31_000)
    expect(shell.state.tasks.get(output.task_id)!.read().text.length).toBeLessThanOrEqual(1 << 20)
  })

  test.concurrent('a stop ends a command that is being waited for', async (context) => {
    const { shell } = open(context)
    const stop = new AbortController()
    const running = shell.call(execCommand, { cmd: 'sleep 60' }, { signal: stop.signal })
    await vi.waitUntil(() => shell.state.tasks.list().length > 0, { interval: 1, timeout: 25_000 })
    stop.abort(new Error('stopped'))
    await expect(running).rejects.toThrow('stopped')
    expect(shell.running()).toEqual([])
  })
})
