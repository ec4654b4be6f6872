import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string
let env: NodeJS.ProcessEnv
const ends: (() => Promise<unknown>)[] = []

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe cli '))
  mkdirSync(path.join(folder, 'work'))
  env = { PATH: process.env['PATH'], HOME: folder, TROUPE_HOME: path.join(folder, 'home'), CI: '1' }
})

afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  rmSync(folder, { recursive: true, force: true })
})

describe('usage', () => {
  test.each([
    [['frobnicate']],
    [['--frobnicate']],
    [['-p', 'one', 'two']],
    [['-p']],
    [['-p', 'x', '--output-format', 'xml']],
    [['-p', 'x', '--max-steps', '0']],
    [['-p', 'x', '-c', '-r', 'ses_1']],
    [['serve', '--port', 'many']],
    [['serve', '--workspace', '/nowhere/at/all']],
    [['debug']],
    [['import', '/nowhere/at/all']],
  ])('%j is wrong usage: exit code 2, the reason on stderr, nothing on stdout', async (args) => {
    const { code, stdout, stderr } = await troupe(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^troupe: .+\ntroupe: see "troupe --help"\.\n$/)
  })

  test('help and version are answered without a home', async () => {
    env['TROUPE_HOME'] = '/proc/nowhere'
    for (const args of [['--help'], ['-h'], ['help'], ['serve', '--help'], ['-p', '--help']]) {
      expect(await troupe(args)).toMatchObject({ code: 0, stdout: expect.stringContaining('troupe -p'), stderr: '' })
    }
    expect((await troupe(['--version'])).stdout).toMatch(/^troupe \d+\.\d+\.\d+ /)
  })

  test('an error is one line, and a stack only where it was asked for', async () => {
    env['TROUPE_HOME'] = '/proc/nowhere'
    const { code, stderr } = await troupe(['-p', 'hello'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^troupe: \/proc\/nowhere cannot be written.*\n$/)
    env['TROUPE_DEBUG'] = '1'
    expect((await troupe(['-p', 'hello'])).stderr).toContain('home.ts')
  })
})

describe('troupe -p', () => {
  test('answers with no configuration at all', async () => {
    const { code, stdout, stderr } = await troupe(['-p', 'hello'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Hello! I am the \*\*demo model\*\*.*\n$/s)
  })

  test('adds what is piped in to the prompt', async () => {
    expect((await troupe(['-p', 'repeat: first'], { input: 'second\n' })).stdout).toBe('first\n\nsecond\n')
    expect((await troupe(['-p'], { input: 'repeat: third' })).stdout).toBe('third\n')
  })

  test('as json it is one object, whose session -r and -c go on with', async () => {
    const first = JSON.parse((await troupe(['-p', 'repeat: one', '--output-format', 'json'])).stdout)
    expect(first).toMatchObject({
      result: 'one',
      sessionId: expect.stringMatching(/^ses_/),
      model: 'demo/tour',
      error: null,
    })
    expect(first.usage.totalTokens).toBeGreaterThan(0)
    const resumed = JSON.parse(
      (await troupe(['-p', 'repeat: two', '-r', first.sessionId, '--output-format', 'json'])).stdout,
    )
    expect(resumed).toMatchObject({ result: 'two', sessionId: first.sessionId })
    await troupe(['-p', 'repeat: elsewhere'])
    const newest = JSON.parse((await troupe(['-p', 'repeat: three', '-c', '--output-format', 'json'])).stdout)
    expect(newest.sessionId).not.toBe(first.sessionId)
  })

  test('as stream-json it is one chunk a line, from the session to the end', async () => {
    const { stdout } = await troupe(['-p', 'What time is it in Tokyo?', '--output-format', 'stream-json'])
    const chunks = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    const types = chunks.map(({ type }) => type)
    expect(types[0]).toBe('data-session')
    expect(types).toEqual(expect.arrayContaining(['start', 'tool-output-available']))
    expect(types.at(-1)).toBe('finish')
  })

  test('denies what would ask a person, and goes on', async () => {
    const { code, stdout } = await troupe(['-p', 'Ask me for approval', '--output-format', 'stream-json'])
    expect(code).toBe(0)
    expect(stdout).toContain('"tool-output-denied"')
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"finish"')
  })

  test('a run that reaches its limit says so and fails', async () => {
    const { code, stderr, stdout } = await troupe([
      '-p',
      'What time is it in Tokyo?',
      '--max-steps',
      '1',
      '--output-format',
      'json',
    ])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^troupe: .+/)
    expect(JSON.parse(stdout)).toMatchObject({ error: { name: 'LimitReached', data: { reason: 'steps' } } })
  })

  test('an unknown model, an unknown session and -c without a session say what is wrong', async () => {
    expect(await troupe(['-p', 'x', '-m', 'nobody/nothing'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^troupe: .*nobody/),
    })
    expect(await troupe(['-p', 'x', '-r', 'ses_unknown'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such session'),
    })
    expect(await troupe(['-p', 'x', '-c'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no session in this folder'),
    })
  })

  test('a broken config is named with its place', async () => {
    mkdirSync(path.join(folder, 'home'))
    writeFileSync(path.join(folder, 'home', 'config.json'), '{\n  "model": \n}')
    expect(await troupe(['-p', 'hello'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('config.json, line 3, column 1'),
    })
  })

  test('Ctrl-C stops the run, keeps what had come, and exits with 130', async () => {
    env['TROUPE_DEMO_SPEED'] = '1'
    const child = start(['-p', 'Count slowly to 200', '--output-format', 'stream-json'])
    child.stdin.end()
    const lines = createInterface({ input: child.stdout })
    const seen: string[] = []
    for await (const line of lines) {
      seen.push(line)
      if (seen.filter((each) => each.includes('text-delta')).length === 2) child.kill('SIGINT')
    }
    expect(await exitCode(child)).toBe(130)
    expect(seen.at(-1)).toMatch(/"type":"(abort|finish)"/)
    const { sessionId } = (JSON.parse(seen[0] as string) as { data: { sessionId: string } }).data
    const view = JSON.parse((await troupe(['debug', sessionId, '--json'])).stdout)
    expect(view.chain.at(-1).metadata).toMatchObject({ aborted: true })
    expect(view.runs[0].status).toBe('aborted')
  })

  test('a reader that goes away stops the run', async () => {
    env['TROUPE_DEMO_SPEED'] = '1'
    const child = start(['-p', 'Count slowly to 200', '--output-format', 'stream-json'])
    child.stdin.end()
    const { data } = JSON.parse(await firstLine(child.stdout)) as { data: { sessionId: string } }
    child.stdout.destroy()
    expect(await exitCode(child)).toBe(1)
    const view = JSON.parse((await troupe(['debug', data.sessionId, '--json'])).stdout)
    expect(view.runs[0].status).toBe('aborted')
  })

  test('two at once on one home both answer', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((word) => troupe(['-p', `repeat: ${word}`])))
    expect(answers.map(({ stdout }) => stdout)).toEqual(['a\n', 'b\n', 'c\n'])
  })
})

describe('troupe serve', () => {
  test('prints one line of JSON when it is ready, and ends with 0 at SIGTERM', async () => {
    const { at, child } = await serve()
    expect(at).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#k=.+/),
      port: expect.any(Number),
      pid: child.pid,
    })
    expect(await (await fetch(`http://127.0.0.1:${at.port}/health`)).json()).toMatchObject({ ok: true })
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(0)
  })

  test('a second one says where the first is, with a key of its own', async () => {
    const { at } = await serve()
    const second = await troupe(['serve', '--json', '--port', '0'])
    const other = JSON.parse(second.stdout) as typeof at
    expect({ ...other, url: '' }).toEqual({ ...at, url: '' })
    expect(other.url).not.toBe(at.url)
    const key = other.url.split('#k=')[1]
    const headers = { 'content-type': 'application/json', origin: `http://127.0.0.1:${at.port}` }
    const response = await fetch(`http://127.0.0.1:${at.port}/ai/auth`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ key }),
    })
    expect(response.headers.get('set-cookie')).toContain('HttpOnly')
  })

  test('-p, -c, -r and debug go through it', async () => {
    await serve()
    const first = JSON.parse((await troupe(['-p', 'repeat: one', '--output-format', 'json'])).stdout)
    expect(first).toMatchObject({ result: 'one', error: null })
    const next = JSON.parse(
      (await troupe(['-p', 'Summarise our conversation so far', '-c', '--output-format', 'json'])).stdout,
    )
    expect(next.sessionId).toBe(first.sessionId)
    const view = JSON.parse((await troupe(['debug', first.sessionId, '--json'])).stdout)
    expect(view.chain).toHaveLength(4)
    expect((await troupe(['debug', first.sessionId])).stdout).toContain('# What the model is sent')
  })

  test('from another folder it works there, and its sessions stay there', async () => {
    await serve()
    const here = JSON.parse((await troupe(['-p', 'repeat: here', '--output-format', 'json'])).stdout)
    const there = JSON.parse(
      (await troupe(['-p', 'repeat: there', '--output-format', 'json', '--workspace', folder])).stdout,
    )
    expect(there).toMatchObject({ result: 'there', error: null })
    const next = JSON.parse((await troupe(['-p', 'repeat: again', '-c', '--output-format', 'json'])).stdout)
    expect(next.sessionId).toBe(here.sessionId)
    expect(await troupe(['-p', 'x', '-r', there.sessionId])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such session'),
    })
    expect((await troupe(['debug', there.sessionId, '--workspace', folder])).code).toBe(0)
  })

  test('import waits for nobody: it says who has the home', async () => {
    const { at } = await serve()
    expect(await troupe(['import', folder])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`pid ${at.pid}`),
    })
  })

  test('a host that others can reach is refused', async () => {
    expect(await troupe(['serve', '--host', '0.0.0.0', '--port', '0'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^troupe: .*0\.0\.0\.0/),
    })
  })
})

describe('the rest', () => {
  test('import brings exported sessions into another home', async () => {
    const { sessionId } = JSON.parse((await troupe(['-p', 'repeat: kept', '--output-format', 'json'])).stdout)
    const old = env['TROUPE_HOME'] as string
    env['TROUPE_HOME'] = path.join(folder, 'new home')
    expect(await troupe(['import', old])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 sessions, 0 problems'),
    })
    const view = JSON.parse((await troupe(['debug', sessionId, '--json'])).stdout)
    expect(JSON.stringify(view.chain)).toContain('kept')
  })

  test('doctor says what it found, tried, and how to fix it', async () => {
    const { code, stdout } = await troupe(['doctor', '--json'])
    expect(code).toBe(0)
    const findings = JSON.parse(stdout) as { status: string; name: string; text: string; fix?: string }[]
    expect(findings).toContainEqual({ status: 'ok', name: 'home', text: path.join(folder, 'home') })
    expect(findings).toContainEqual(
      expect.objectContaining({ name: 'provider ollama', text: expect.stringContaining('127.0.0.1:11434') }),
    )
    expect(findings).toContainEqual(
      expect.objectContaining({ name: 'provider openai', text: expect.stringContaining('OPENAI_API_KEY') }),
    )
  })

  test('doctor fails when something is broken, and tells no key', async () => {
    mkdirSync(path.join(folder, 'home'), { mode: 0o700 })
    writeFileSync(path.join(folder, 'home', 'config.json'), '{"model": 1}')
    env['OPENAI_API_KEY'] = 'sk-a-very-secret-key'
    const broken = await troupe(['doctor'])
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/^fail {2}config .*model/m) })
    rmSync(path.join(folder, 'home', 'config.json'))
    const { code, stdout } = await troupe(['doctor'])
    expect(code).toBe(0)
    expect(stdout).toContain('key from env:OPENAI_API_KEY')
    expect(stdout).not.toContain('secret')
  })

  test('the launcher becomes the program, also through a link', async () => {
    const launcher = fileURLToPath(new URL('../bin/troupe', import.meta.url))
    const link = path.join(folder, 'a link')
    const { symlinkSync } = await import('node:fs')
    symlinkSync(launcher, link)
    const child = spawn(link, ['serve', '--json', '--port', '0'], {
      cwd: path.join(folder, 'work'),
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    ends.push(() => end(child))
    const at = await firstLine(child.stdout)
    expect(JSON.parse(at)).toMatchObject({ pid: child.pid })
  })
})

type Child = ReturnType<typeof start>
type AnyChild = Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill'> & NodeJS.EventEmitter

function start(args: string[]) {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const flags = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, main, ...args], {
    cwd: path.join(folder, 'work'),
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  ends.push(() => end(child))
  return child
}

async function troupe(
  args: string[],
  { input = '' } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(args)
  child.stdin.on('error', () => undefined).end(input)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode(child)])
  return { code, stdout, stderr }
}

async function serve(): Promise<{ child: Child; at: { url: string; port: number; pid: number } }> {
  const child = start(['serve', '--json', '--port', '0'])
  child.stderr.pipe(process.stderr)
  return { child, at: JSON.parse(await firstLine(child.stdout)) }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stream })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(lines, 'close').then(() => ['nothing was printed']),
  ])) as [string]
  return line
}

async function exitCode(child: AnyChild): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function end(child: AnyChild): Promise<void> {
  child.kill('SIGKILL')
  await exitCode(child)
}
