import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { withAndWithoutSandbox } from '../testing/shell-modes.ts'
import { openTestShell } from '../testing/test-shell.ts'
import bash from './bash.ts'
import taskOutput from './task-output.ts'
import taskStop from './task-stop.ts'

withAndWithoutSandbox((way) => {
  const open = ({ onTestFinished }: TestContext) => {
    const shell = openTestShell(way, onTestFinished)
    return {
      shell,
      async inBackground(command: string, more: object = {}): Promise<string> {
        const { output, text } = await shell.call(bash, { command, run_in_background: true, ...more })
        expect(output).toMatchObject({ status: 'running', exitCode: null })
        expect(text).toContain(`as task ${output.taskId}`)
        return output.taskId!
      },
    }
  }

  test.concurrent('a background command is read as it prints, and tells its exit code when it ends', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 7')
    const first = await shell.call(taskOutput, { task_id: id, from: 0, wait_ms: 5000 })
    expect(first.output).toMatchObject({ status: 'running', text: 'one\n', next: 4 })
    expect(first.text).toContain('"from": 4')
    writeFileSync(path.join(shell.workspace, 'go'), '')
    await shell.state.tasks.get(id)!.ended
    const second = await shell.call(taskOutput, { task_id: id, from: 4, wait_ms: 5000 })
    expect(second.output).toMatchObject({ status: 'ended', exitCode: 7, text: 'two\n', next: 8 })
    expect(second.text).toMatch(/^two\n\nIt ended with exit code 7 after/)
    expect((await shell.call(taskOutput, { task_id: id })).output.text).toBe('one\ntwo\n')
    expect((await shell.call(taskOutput, { task_id: id, from: 8 })).text).toMatch(/^No new output\. It ended/)
  })

  test.concurrent('a wait ends without new output', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('sleep 60')
    const { text } = await shell.call(taskOutput, { task_id: id, wait_ms: 50 })
    expect(text).toMatch(/^No new output\. Task .* is still running/)
  })

  test.concurrent('a wait ends with a stop of the run, and the command continues', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('sleep 60')
    const stop = new AbortController()
    const waiting = shell.call(taskOutput, { task_id: id, wait_ms: 60_000 }, { signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    expect(shell.state.tasks.get(id)?.status).toBe('running')
  })

  test.concurrent('a stop ends it with everything that it started', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground(`trap '' TERM; echo up; setsid sleep 60 & sleep 60`)
    await shell.call(taskOutput, { task_id: id, from: 0, wait_ms: 5000 })
    const { output, text } = await shell.call(taskStop, { task_id: id })
    expect(output).toMatchObject({ status: 'stopped', text: 'up\n' })
    expect(text).toMatch(/^up\n\nIt was stopped after/)
    expect(shell.running()).toEqual([])
    expect((await shell.call(taskStop, { task_id: id })).text).toContain('It had already ended')
  })

  test.concurrent('a time limit ends it', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('sleep 60', { timeout: 100 })
    await shell.state.tasks.get(id)!.ended
    expect((await shell.call(taskOutput, { task_id: id })).output.status).toBe('timed-out')
  })

  test.concurrent('a time limit of years is not a millisecond', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('sleep 60', { timeout: 1e12 })
    await shell.call(taskOutput, { task_id: id, wait_ms: 50 })
    expect(shell.state.tasks.get(id)?.status).toBe('running')
  })

  test.concurrent('it does not change the agent’s state', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('mkdir sub; cd sub; export X=1')
    await shell.state.tasks.get(id)!.ended
    expect(shell.state).toMatchObject({ cwd: shell.workspace, env: {} })
    expect(existsSync(path.join(shell.workspace, 'sub'))).toBe(true)
  })

  test.concurrent('more than the ring keeps is in a file', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('seq 1 300000')
    await shell.state.tasks.get(id)!.ended
    const { output, text } = await shell.call(taskOutput, { task_id: id })
    const whole = readFileSync(output.spilled!.path, 'utf8')
    expect(whole.startsWith('1\n2\n')).toBe(true)
    expect(whole.endsWith('300000\n')).toBe(true)
    expect(whole).toHaveLength(output.spilled!.length)
    expect(output.text).toMatch(/^\.\.\. \[\d+ earlier characters are no longer kept/)
    expect(text).toContain(output.spilled!.path)
    expect(text.length).toBeLessThan(31_000)
  })

  test.concurrent('an unknown id is answered with the known ones', async (context) => {
    const { shell, inBackground } = open(context)
    const id = await inBackground('sleep 60')
    await expect(shell.call(taskOutput, { task_id: 'task-0' })).rejects.toThrow(`Running: ${id} (sleep 60)`)
    await expect(shell.call(taskStop, { task_id: 'task-0' })).rejects.toThrow('There is no task "task-0"')
  })

  // Each task starts its own sandbox, which is slow, so the full number runs there only with `TROUPE_TEST_FULL=1`.
  const many = way.confinement === 'none' || process.env['TROUPE_TEST_FULL'] === '1' ? 200 : 20

  test(`${many} background commands run and end with the session, and more than 200 are refused`, async (context) => {
    const { shell, inBackground } = open(context)
    const ids: string[] = []
    for (let i = 0; i < many; i++) ids.push(await inBackground(`echo ${i}; sleep 600`))
    await Promise.all(ids.map((id) => shell.state.tasks.get(id)!.settled({ ms: 10_000, quietMs: 0, from: 0 })))
    expect(ids.map((id) => shell.state.tasks.get(id)!.read().text)).toEqual(ids.map((_, i) => `${i}\n`))
    expect((await shell.call(bash, { command: 'echo still' })).output.text).toBe('still\n')
    await shell.call(taskStop, { task_id: ids[7] })
    await inBackground('sleep 600')
    if (many < 200) return
    await expect(inBackground('true')).rejects.toThrow('The limit of 200 running background commands is reached')
    const left = await shell.call(bash, { command: 'sleep 600 & echo $!' })
    expect(left.text).toContain('too many background commands')
  })
})
