import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test, type TestContext, vi } from 'vitest'
import { call, play } from '../../testing/play-run.ts'
import { membersOf } from '../process/processes.ts'
import { withAndWithoutSandbox } from '../testing/shell-modes.ts'
import { openTestShell } from '../testing/test-shell.ts'
import { shutdown } from '../tool/abort-reason.ts'
import { checkTool } from '../tool/tool.ts'
import bash from './bash.ts'

const soon = { interval: 5, timeout: 25_000 }

withAndWithoutSandbox((way) => {
  const open = ({ onTestFinished }: TestContext) => {
    const shell = openTestShell(way, onTestFinished)
    return {
      shell,
      run: (command: string, more: object = {}) => shell.call(bash, { command, ...more }),
      remembered: () => (way.confinement === 'none' ? shell.state.env : shell.state.sandboxEnv),
    }
  }

  describe('output of a command', () => {
    test('has its exit code', async (context) => {
      const { run } = open(context)
      const { output, text } = await run('echo hello; exit 3')
      expect(output).toMatchObject({ text: 'hello\n', exitCode: 3, status: 'ended', signal: null })
      expect(text).toMatch(/^hello\n\nExit code 3 after \d+\.\d s\.$/)
    })

    test('is reported as empty if there is none', async (context) => {
      const { run } = open(context)
      expect((await run('true')).text).toMatch(/^Exit code 0 after .* It printed nothing\.$/)
    })

    test('keeps stdout and stderr in true order', async (context) => {
      const { run } = open(context)
      const { output } = await run('for i in {1..200}; do echo "o$i"; echo "e$i" >&2; done')
      expect(output.text).toBe(Array.from({ length: 200 }, (_, i) => `o${i + 1}\ne${i + 1}\n`).join(''))
    })

    test('may be written through /dev/stdout and /dev/stderr', async (context) => {
      const { run } = open(context)
      const { output } = await run('echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr')
      expect(output.text).toBe('a\nb\nc\nc\n')
    })

    test('survives invalid UTF-8, characters cut in two and NULs', async (context) => {
      const { run } = open(context)
      const { output, text } = await run(
        String.raw`printf '\xff\xfe ok \xf0\x9f'; sleep 0.05; printf '\x8e\xad \0 \xe2\x82'`,
      )
      expect(output.text).toBe('\ufffd\ufffd ok 🎭 \0 \ufffd')
      expect(text).toContain('\ufffd\ufffd ok 🎭 \ufffd \ufffd')
    })

    test('has its colours for the card, not for the model', async (context) => {
      const { run } = open(context)
      const { output, text } = await run(String.raw`printf '\e[31mred\e[0m'`)
      const shown = bash.display!(output, { command: 'x' })
      expect(shown.content).toMatchObject({ kind: 'terminal', command: 'x', text: '\x1b[31mred\x1b[0m', exitCode: 0 })
      expect(text).toMatch(/^red\n/)
    })

    test('is in a file when it is long', async (context) => {
      const { shell, run } = open(context)
      const { output, text } = await run('seq 1 20000')
      const { path: file, length } = output.spilled!
      const whole = readFileSync(file, 'utf8')
      expect(whole.startsWith('1\n2\n')).toBe(true)
      expect(whole.endsWith('19999\n20000\n')).toBe(true)
      expect(length).toBe(whole.length)
      expect(output.text.length).toBeLessThan(30_500)
      expect(text).toContain('\n20000\n')
      expect(text).toContain(file)
      expect(file.startsWith(shell.state.outputFolder)).toBe(true)
    })

    test('is not kept in memory when it is 30 MB', async (context) => {
      const { shell, run } = open(context)
      const at = (name: string): string => path.join(shell.workspace, name)
      const before = heldBytes()
      const running = run('head -c 30000000 /dev/zero | tr "\\0" x; touch read; until [ -e go ]; do sleep 0.02; done')
      await vi.waitUntil(() => existsSync(at('read')), { ...soon, timeout: 25_000 })
      const held = heldBytes() - before
      writeFileSync(at('go'), '')
      const { output, progress } = await running
      expect(output.spilled?.length).toBe(30_000_000)
      expect(held / 1e6).toBeLessThan(10)
      expect(progress.join('').length).toBeLessThan(1_000_000)
    })
  })

  describe('the shell', () => {
    test('remembers the working directory', async (context) => {
      const { shell, run } = open(context)
      mkdirSync(path.join(shell.workspace, 'a b/ü'), { recursive: true })
      const { text } = await run('cd "a b/ü"')
      expect(text).toContain(`The working directory is now ${path.join(shell.workspace, 'a b/ü')}.`)
      expect((await run('pwd')).output.text).toBe(`${path.join(shell.workspace, 'a b/ü')}\n`)
      expect((await run('cd ../..; pwd')).output.text).toBe(`${shell.workspace}\n`)
    })

    test('keeps exported variables with any value, and drops others', async (context) => {
      const { run, remembered } = open(context)
      await run(`export A=$'tab\\t "q" \\'s\\' $x \\n🎭' PATH="/extra:$PATH"; B=2; f() { :; }`)
      const { output } = await run('printf %s "$A"; echo "[$B]"; type -t f; echo "${PATH%%:*}"')
      expect(output.text).toBe(`tab\t "q" 's' $x \n🎭[]\n/extra\n`)
      await run('unset A')
      expect(remembered()).not.toHaveProperty('A')
    })

    test.for([
      ['exit', 'cd sub; export X=1; exit 5', 5],
      ['set -e', 'set -e; cd sub; export X=1; false; echo not here', 1],
      ['set -u', 'set -u; cd sub; export X=1; echo "$nothing"', 127],
      ['set -x', 'set -x; cd sub; export X=1', 0],
      ['a trap of its own', `trap 'echo bye' EXIT; cd sub; export X=1`, 0],
      ['a function that fails', 'cd sub; export X=1; f() { return 7; }; f', 7],
      ['redirected output', 'exec >/dev/null 2>&1 3>&1; cd sub; export X=1', 0],
    ] as const)('keeps its state after %s', async ([_name, command, exitCode], context) => {
      const { shell, run, remembered } = open(context)
      mkdirSync(path.join(shell.workspace, 'sub'))
      const { output } = await run(command)
      expect(output.exitCode).toBe(exitCode)
      expect(output.text).not.toContain('troupe')
      expect(shell.state.cwd).toBe(path.join(shell.workspace, 'sub'))
      expect(remembered()).toMatchObject({ X: '1' })
    })

    test('that is replaced or killed leaves the state unchanged', async (context) => {
      const { shell, run } = open(context)
      mkdirSync(path.join(shell.workspace, 'sub'))
      expect((await run('cd sub; exec echo replaced')).output).toMatchObject({ text: 'replaced\n', exitCode: 0 })
      expect((await run('cd sub; kill -9 $$')).output).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
      expect(shell.state.cwd).toBe(shell.workspace)
    })

    test('explains syntax errors', async (context) => {
      const { run } = open(context)
      const { output } = await run('if true; then echo')
      expect(output.exitCode).toBe(2)
      expect(output.text).toContain('syntax error')
      expect((await run(`echo 'open`)).output).toMatchObject({ exitCode: 2 })
    })

    test('returns to the workspace after leaving it, even through a link', async (context) => {
      const { shell, run } = open(context)
      const { text } = await run('cd /; pwd')
      expect(text).toContain(`The working directory was reset to ${shell.workspace}: / is outside the workspace.`)
      await run('ln -s /etc link; cd link')
      expect(shell.state.cwd).toBe(shell.workspace)
      expect((await run('pwd')).output.text).toBe(`${shell.workspace}\n`)
    })

    test('starts in the workspace if its folder no longer exists', async (context) => {
      const { shell, run } = open(context)
      await run('mkdir sub; cd sub')
      rmSync(path.join(shell.workspace, 'sub'), { recursive: true })
      const { output, text } = await run('pwd')
      expect(output.text).toBe(`${shell.workspace}\n`)
      expect(text).toContain('no longer exists')
      const removed = await run('mkdir again; cd again; rmdir ../again')
      expect(removed.text).toContain(`The working directory was reset to ${shell.workspace}`)
    })

    test('has a clean environment', async (context) => {
      const { run } = open(context)
      vi.stubEnv('ANTHROPIC_API_KEY', 'canary-key')
      vi.stubEnv('TROUPE_TOKEN', 'canary-token')
      vi.stubEnv('NODE_OPTIONS', '--no-warnings')
      const { output } = await run('env; cat /proc/self/environ /proc/$$/environ')
      expect(output.text).not.toMatch(/canary|NODE_OPTIONS/)
      const names = (await run('compgen -e')).output.text.trim().split('\n')
      const allowed =
        /^(PATH|HOME|LANG|LC_\w+|TERM|TMPDIR|USER|SHELL|PWD|OLDPWD|SHLVL|_|TROUPE_TASK|TROUPE_CALL|npm_config_offline|YARN_ENABLE_NETWORK|CARGO_NET_OFFLINE|PIP_RETRIES|UV_OFFLINE|GOPROXY|PAGER|GIT_PAGER|GIT_OPTIONAL_LOCKS)$/
      expect(names.filter((name) => !allowed.test(name))).toEqual([])
    })

    test('gives commands no input to wait for', async (context) => {
      const { run } = open(context)
      const { output } = await run('cat; read -r line; echo "[$line] $?"; [ -t 0 ] || echo no terminal')
      expect(output.text).toBe('[] 1\nno terminal\n')
    })

    test('accepts commands longer than an argument can be', async (context) => {
      const { run } = open(context)
      const { output } = await run(`echo ${'x'.repeat(150_000)} | wc -c`)
      expect(output.text.trim()).toBe('150001')
      const heredoc = await run(`cat > big <<'EOF'\n${'line\n'.repeat(30_000)}EOF\nwc -l < big`)
      expect(heredoc.output.text.trim()).toBe('30000')
    })

    test('refuses a NUL', async (context) => {
      const { run } = open(context)
      await expect(run('echo a\0b')).rejects.toThrow('NUL character')
    })

    test('is not seen in the list of processes', async (context) => {
      const { run } = open(context)
      const { output } = await run('secret=hunter2; tr "\\0" " " < /proc/$$/cmdline')
      expect(output.text).not.toContain('hunter2')
    })
  })

  // Tests that wait for a time limit, or for programs that ignore SIGTERM, run concurrently.
  describe('an end', () => {
    test.concurrent('by the time limit keeps the output and ends all processes', async (context) => {
      const { shell, run } = open(context)
      const { output, text } = await run('echo before; sleep 60 & sleep 60', { timeout: 1000 })
      expect(output).toMatchObject({ status: 'timed-out', text: 'before\n' })
      expect(text).toContain('Timed out after 1.0 s')
      expect(shell.running()).toEqual([])
    })

    test.concurrent.for([
      ['ignores SIGTERM', `trap '' TERM; echo go; while :; do sleep 1; done`],
      ['leaves its session', `setsid bash -c 'sleep 60' & setsid sleep 61 & sleep 60`],
      ['has groups of its own', 'set -m; sleep 60 & (sleep 60 & wait) & wait'],
      ['is stopped', 'sleep 60 & kill -STOP $!; sleep 60'],
    ] as const)('by the time limit reaches a process that %s', async ([, command], context) => {
      const { shell, run } = open(context)
      const { output } = await run(command, { timeout: 600 })
      expect(output.status).toBe('timed-out')
      expect(shell.running()).toEqual([])
    })

    test.concurrent('by the time limit reaches a process that left its session and has no marker', async (context) => {
      const { run } = open(context)
      const { output } = await run('env -i /usr/bin/setsid /bin/sleep 60 & echo $!; sleep 60', { timeout: 1000 })
      expect(Number(output.text)).toBeGreaterThan(1)
      expect(membersOf({ pid: Number(output.text) }, { fresh: true })).toEqual([])
    })

    test.concurrent('by a stop reaches a process that ignores SIGTERM, and keeps the output file', async (context) => {
      const { shell } = open(context)
      const stop = new AbortController()
      const command = `trap '' TERM; seq 1 20000; touch started; while :; do sleep 1; done`
      const running = shell.call(bash, { command }, { signal: stop.signal })
      await vi.waitUntil(() => existsSync(path.join(shell.workspace, 'started')), soon)
      stop.abort()
      const { output } = await running
      expect(readFileSync(output.spilled!.path, 'utf8').endsWith('19999\n20000\n')).toBe(true)
      expect(shell.running()).toEqual([])
    })

    test('by the time limit reaches a process that forks all the time', async (context) => {
      const { shell, run } = open(context)
      const command = 'f() { while :; do (sleep 5 &) ; sleep 0.01; done; }; f'
      expect((await run(command, { timeout: 300 })).output.status).toBe('timed-out')
      expect(shell.running()).toEqual([])
    })

    test.for([
      [
        'the person',
        new Error('stop'),
        /^before\n\nStopped by the user before it finished, after \d+\.\d s: the command and all its child processes were stopped/,
      ],
      ['the end of the program', shutdown, /^before\n\nInterrupted: the server was stopped, after/],
    ] as const)('by %s is prompt and complete, and keeps the output', async ([_name, reason, said], context) => {
      const { shell } = open(context)
      const stop = new AbortController()
      const command = 'echo before; touch started; setsid sleep 60 & sleep 60'
      const running = shell.call(bash, { command }, { signal: stop.signal })
      await vi.waitUntil(() => existsSync(path.join(shell.workspace, 'started')), soon)
      const begun = performance.now()
      stop.abort(reason)
      const { output, text } = await running
      expect(performance.now() - begun).toBeLessThan(20_000)
      expect(output).toMatchObject({ status: 'stopped', text: 'before\n' })
      expect(text).toMatch(said)
      expect(bash.display!(output, { command }).content).toMatchObject({ status: 'stopped', text: 'before\n' })
      expect(shell.running()).toEqual([])
    })

    test('before the start runs nothing', async (context) => {
      const { shell } = open(context)
      const aborted = AbortSignal.abort(new Error('stopped'))
      await expect(shell.call(bash, { command: 'touch ran' }, { signal: aborted })).rejects.toThrow('stopped')
      expect(existsSync(path.join(shell.workspace, 'ran'))).toBe(false)
    })

    test('of the shell does not wait for background processes, which become a task', async (context) => {
      const { shell, run } = open(context)
      const { output, text } = await run('(until [ -e go ]; do sleep 0.02; done; echo later; sleep 60) & echo now')
      expect(output.text).toBe('now\n')
      expect(text).toContain(`as task ${output.taskId}`)
      const task = shell.state.tasks.get(output.taskId!)!
      writeFileSync(path.join(shell.workspace, 'go'), '')
      await task.settled({ ms: 10_000, quietMs: 10, from: 0 })
      expect(task.read().text).toBe('later\n')
      expect(task.status).toBe('running')
      await task.stop()
      expect(task.status).toBe('stopped')
      expect(shell.running()).toEqual([])
    })

    test('of the shell waits briefly for processes that end right after it', async (context) => {
      const { run } = open(context)
      const { output } = await run('echo late > >(cat)')
      expect(output).toMatchObject({ text: 'late\n' })
      expect(output.taskId).toBeUndefined()
    })

    test('of the session reaches a detached daemon', async (context) => {
      const { shell, run } = open(context)
      await run('setsid --fork sleep 60 < /dev/null > /dev/null 2>&1 219>&-')
      // Inside the sandbox its first process lives as long as any other.
      expect(shell.running()).toHaveLength(way.confinement === 'none' ? 1 : 2)
    })
  })

  test('a command is journaled before it can do anything', async (context) => {
    const { shell } = open(context)
    const file = path.join(shell.workspace, 'file')
    let seen: boolean | undefined
    const journal = async (pid: number): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      expect(process.kill(-pid, 0)).toBe(true)
      seen = existsSync(file)
    }
    await shell.call(bash, { command: `touch '${file}'` }, { process: journal })
    expect(seen).toBe(false)
    expect(existsSync(file)).toBe(true)
  })

  test('a command that cannot be journalled does not run', async (context) => {
    const { shell } = open(context)
    const refuse = (): Promise<void> => Promise.reject(new Error('no journal'))
    await expect(shell.call(bash, { command: 'touch ran' }, { process: refuse })).rejects.toThrow('no journal')
    expect(existsSync(path.join(shell.workspace, 'ran'))).toBe(false)
  })

  test('an undo can name the commands that it does not cover', async (context) => {
    const { shell, run } = open(context)
    await run('touch file')
    await shell.call(bash, { command: 'true', run_in_background: true })
    const commands = await shell.state.undo.commands({ toolCallId: shell.ctx.toolCallId })
    expect(commands.map(({ command }) => command)).toEqual(['true', 'touch file'])
  })

  test('output is shown while the command runs', async (context) => {
    const { shell } = open(context)
    const go = path.join(shell.workspace, 'go')
    const running = bash.execute(
      { command: 'echo first; until [ -e go ]; do sleep 0.02; done; echo second' },
      shell.ctx,
    ) as AsyncGenerator<string>
    expect(await running.next()).toEqual({ done: false, value: 'first\n' })
    writeFileSync(go, '')
    const second = await running.next()
    expect(second.done === true ? (second.value as { text: string }).text : second.value).toContain('second')
    while ((await running.next()).done !== true);
  })

  test('a person is shown the exact command', () => {
    const command = 'rm -rf "x y"\n# and more'
    expect(bash.permission!({ command, description: 'Clean up' })).toEqual({
      title: 'Run a command',
      summary: 'Clean up',
      content: command,
    })
  })

  describe('in a run', () => {
    const named = checkTool(bash, 'bash')

    test('the model gets the text, the card gets the terminal, and the page gets live output', async (context) => {
      const { shell } = open(context)
      const outcome = await play(
        [
          [{ call: { name: 'Bash', id: 'c1', input: { command: 'echo one; sleep 0.1; echo two' } } }],
          [{ text: 'done' }],
        ],
        [named],
        { state: () => shell.state },
      )
      const progress = outcome.log.items.filter((item) => item.type === 'data-tool-progress')
      expect(progress.map((item) => (item as { data: { delta: string } }).data.delta).join('')).toContain('one\n')
      const part = call(outcome, 'c1') as unknown as Shown
      expect(part.output).toMatchObject({ text: 'one\ntwo\n', exitCode: 0 })
      expect(part.toolMetadata.troupe.modelText).toMatch(/^one\ntwo\n\nExit code 0 after/)
      expect(part.toolMetadata.troupe.display.content).toMatchObject({ kind: 'terminal', text: 'one\ntwo\n' })
    })

    test('a stop is reported, keeps the output, and leaves nothing running', async (context) => {
      const { shell } = open(context)
      const stop = new AbortController()
      const command = 'echo before; touch started; sleep 60'
      const script = [[{ call: { name: 'Bash', id: 'c1', input: { command } } }], [{ text: 'done' }]]
      const running = play(script, [named], { state: () => shell.state, signal: stop.signal })
      await vi.waitUntil(() => existsSync(path.join(shell.workspace, 'started')), soon)
      stop.abort()
      const outcome = await running
      expect(shell.running()).toEqual([])
      expect(outcome.status).toBe('aborted')
      const part = call(outcome, 'c1') as unknown as Shown
      expect(part.output).toMatchObject({ status: 'stopped', text: 'before\n' })
      expect(part.toolMetadata.troupe.modelText).toMatch(/^before\n\nStopped by the user before it finished, after/)
      expect(part.toolMetadata.troupe.display).toMatchObject({
        summary: expect.stringMatching(/^Stopped by the user before it finished, after /),
        content: { kind: 'terminal', status: 'stopped', text: 'before\n' },
      })
    })

    interface Shown {
      output: unknown
      toolMetadata: { troupe: { modelText: string; display: { content: unknown } } }
    }
  })
})

/** Memory of this process that a collection of garbage leaves, in bytes. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let i = 0; i < 2; i++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
