import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  end,
  exitCode,
  firstLine,
  serve,
  serveHere,
  start,
  troupe,
  troupeProcess,
  useTroupe,
} from './testing/use-troupe.ts'

const place = useTroupe()

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
    [['trust', '/nowhere/at/all']],
    [['-c']],
    [['-r', 'ses_1']],
  ])('%j is incorrect usage: exit code 2, the reason on stderr, nothing on stdout', async (args) => {
    const { code, stdout, stderr } = await troupe(place, args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^troupe: .+\ntroupe: see "troupe --help"\.\n$/)
  })

  test.each([
    [['-c'], '-c requires -p: troupe -p -c "…"'],
    [['-r', 'ses_1', 'go on'], '-r requires -p: troupe -p -r <session> "…"'],
    [['--resume=ses_1'], '--resume requires -p: troupe -p --resume <session> "…"'],
    [['serve', '-c'], 'unknown option "-c"'],
    [['--frobnicate'], 'unknown option "--frobnicate"'],
  ])('%j names the command it belongs to', async (args, reason) => {
    expect((await troupe(place, args)).stderr).toBe(`troupe: ${reason}\ntroupe: see "troupe --help".\n`)
  })

  test('as a process it ends with the same code', async () => {
    const { code, stdout, stderr } = await troupeProcess(place, ['frobnicate'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('unknown command "frobnicate"')
  })

  test('help and version are answered without a home', async () => {
    place.env['TROUPE_HOME'] = '/proc/nowhere'
    for (const args of [['--help'], ['-h'], ['help'], ['serve', '--help'], ['-p', '--help']]) {
      expect(await troupe(place, args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('troupe -p'),
        stderr: '',
      })
    }
    expect((await troupeProcess(place, ['--version'])).stdout).toMatch(/^troupe \d+\.\d+\.\d+ /)
  })

  test('an error is one line, with a stack only on request', async () => {
    place.env['TROUPE_HOME'] = '/proc/nowhere'
    const { code, stderr } = await troupe(place, ['-p', 'hello'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^troupe: \/proc\/nowhere is not writable.*\n$/)
    place.env['TROUPE_DEBUG'] = '1'
    expect((await troupe(place, ['-p', 'hello'])).stderr).toContain('home.ts')
  })
})

describe('troupe -p', () => {
  test('answers with no configuration at all', async () => {
    const { code, stdout, stderr } = await troupe(place, ['-p', 'hello'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Hello! I’m the \*\*demo model\*\*.*\n$/s)
  })

  test('adds piped input to the prompt', async () => {
    expect(await troupeProcess(place, ['-p', 'repeat: first'], { input: 'second\n' })).toEqual({
      code: 0,
      stdout: 'first\n\nsecond\n',
      stderr: '',
    })
    expect((await troupe(place, ['-p'], { input: 'repeat: third' })).stdout).toBe('third\n')
  })

  test('--file attaches files of any type', async () => {
    const zip = Buffer.concat([Buffer.from('PK\u0005\u0006', 'latin1'), Buffer.alloc(18)])
    writeFileSync(path.join(place.folder, 'work', 'all.zip'), zip)
    const { sessionId } = JSON.parse(
      (await troupe(place, ['-p', 'repeat: one', '--file', 'all.zip', '--output-format', 'json'])).stdout,
    )
    const lines = readFileSync(path.join(place.folder, 'home', 'sessions', sessionId, 'messages.jsonl'), 'utf8').split(
      '\n',
    )
    expect(JSON.parse(lines[0]!).parts[0]).toMatchObject({ type: 'file', filename: 'all.zip' })
  })

  test.each([
    ['none.pdf', 'no such file'],
    ['.', 'not a file'],
  ])('--file %s is refused before anything runs', async (file, problem) => {
    const { code, stderr } = await troupe(place, ['-p', 'repeat: one', '--file', file])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(problem) })
  })

  test('with json, it prints one object, and -r and -c continue its session', async () => {
    const first = JSON.parse((await troupe(place, ['-p', 'repeat: one', '--output-format', 'json'])).stdout)
    expect(first).toMatchObject({
      result: 'one',
      sessionId: expect.stringMatching(/^ses_/),
      model: 'demo/tour',
      cost: 0,
      subAgents: null,
      error: null,
    })
    expect(first.usage.totalTokens).toBeGreaterThan(0)
    const resumed = JSON.parse(
      (await troupe(place, ['-p', 'repeat: two', '-r', first.sessionId, '--output-format', 'json'])).stdout,
    )
    expect(resumed).toMatchObject({ result: 'two', sessionId: first.sessionId })
    await troupe(place, ['-p', 'repeat: elsewhere'])
    const newest = JSON.parse((await troupe(place, ['-p', 'repeat: three', '-c', '--output-format', 'json'])).stdout)
    expect(newest.sessionId).not.toBe(first.sessionId)
  })

  test('with stream-json, it prints one chunk per line, from the session to the end', async () => {
    const { stdout } = await troupe(place, ['-p', 'What time is it in Tokyo?', '--output-format', 'stream-json'])
    const chunks = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    const types = chunks.map(({ type }) => type)
    expect(types[0]).toBe('data-session')
    expect(types).toEqual(expect.arrayContaining(['start', 'tool-output-available']))
    expect(types.at(-1)).toBe('finish')
  })

  test('a refused answer is an error with the reason of the provider', async () => {
    const refusal = { type: 'refusal', explanation: 'This is about a weapon.' }
    const events = [
      { type: 'message_start', message: { id: 'm', model: 'm', role: 'assistant', usage: { input_tokens: 9 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Well,' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: refusal }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ]
    const provider = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    })
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    place.ends.push(() => new Promise((resolve) => provider.close(resolve)))
    const baseURL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
    Object.assign(place.env, { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: baseURL })
    const reason = 'anthropic refused to answer: This is about a weapon.'
    expect(await troupe(place, ['-p', 'hello'])).toEqual({ code: 1, stdout: 'Well,\n', stderr: `troupe: ${reason}\n` })
    const { code, stdout } = await troupe(place, ['-p', 'hello', '--output-format', 'json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      result: 'Well,',
      finishReason: 'content-filter',
      error: { name: 'AnswerRefused', message: reason },
    })
  })

  test('denies tool calls that would ask, and continues', async () => {
    const { code, stdout } = await troupe(place, ['-p', 'Ask me for approval', '--output-format', 'stream-json'])
    expect(code).toBe(0)
    expect(stdout).toContain('"tool-output-denied"')
    expect(stdout.trimEnd().split('\n').at(-1)).toContain('"finish"')
  })

  test('a run that reaches its limit reports it and fails', async () => {
    const { code, stderr, stdout } = await troupe(place, [
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

  test('an unknown model, an unknown session and -c without a session explain the error', async () => {
    expect(await troupe(place, ['-p', 'x', '-m', 'nobody/nothing'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^troupe: .*nobody/),
    })
    expect(await troupe(place, ['-p', 'x', '-r', 'ses_unknown'])).toMatchObject({
      code: 1,
      stderr: 'troupe: There is no chat "ses_unknown" in this folder.\n',
    })
    expect(await troupe(place, ['-p', 'x', '-c'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no chat in this folder'),
    })
  })

  test('a broken config is named with its place', async () => {
    mkdirSync(path.join(place.folder, 'home'))
    writeFileSync(path.join(place.folder, 'home', 'config.json'), '{\n  "model": \n}')
    expect(await troupe(place, ['-p', 'hello'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('config.json, line 3, column 1'),
    })
  })

  test('Ctrl+C stops the run, keeps the text so far, and exits with 130', async () => {
    place.env['TROUPE_DEMO_SPEED'] = '1'
    const child = start(place, ['-p', 'Count slowly to 200', '--output-format', 'stream-json'])
    child.stdin.end()
    const lines = createInterface({ input: child.stdout })
    const seen: string[] = []
    for await (const line of lines) {
      seen.push(line)
      if (!line.includes('text-delta')) continue
      if (seen.filter((each) => each.includes('text-delta')).length === 2) child.kill('SIGINT')
    }
    expect(await exitCode(child)).toBe(130)
    expect(seen.at(-1)).toMatch(/"type":"(abort|finish)"/)
    const { sessionId } = (JSON.parse(seen[0] as string) as { data: { sessionId: string } }).data
    const view = JSON.parse((await troupe(place, ['debug', sessionId, '--json'])).stdout)
    expect(view.chain.at(-1).metadata).toMatchObject({ aborted: true })
    expect(view.runs[0].status).toBe('aborted')
  })

  test('a closed output pipe stops the run', async () => {
    place.env['TROUPE_DEMO_SPEED'] = '1'
    const child = start(place, ['-p', 'Count slowly to 200', '--output-format', 'stream-json'])
    child.stdin.end()
    const { data } = JSON.parse(await firstLine(child.stdout)) as { data: { sessionId: string } }
    child.stdout.destroy()
    expect(await exitCode(child)).toBe(1)
    const view = JSON.parse((await troupe(place, ['debug', data.sessionId, '--json'])).stdout)
    expect(view.runs[0].status).toBe('aborted')
  })

  test('two at once on one home both get an answer', async () => {
    const answers = await Promise.all(['a', 'b'].map((word) => troupeProcess(place, ['-p', `repeat: ${word}`])))
    expect(answers.map(({ stdout }) => stdout)).toEqual(['a\n', 'b\n'])
  })
})

describe('troupe serve', () => {
  test('prints one line of JSON when it is ready, and ends with 0 at SIGTERM', async () => {
    const { at, child } = await serve(place)
    expect(at).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#k=.+/),
      port: expect.any(Number),
      pid: child.pid,
      workspace: path.join(place.folder, 'work'),
    })
    expect(await (await fetch(`http://127.0.0.1:${at.port}/health`)).json()).toMatchObject({ ok: true })
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(0)
  })

  test('a second server prints the URL of the first, with its own key', async () => {
    const { at } = await serve(place)
    const second = await troupe(place, ['serve', '--json', '--port', '0'])
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
    expect(await response.json()).toMatchObject({ credential: expect.stringMatching(/^[\w-]{43}$/) as string })
  })

  test('in another folder it joins the first server and opens the folder there', async () => {
    await serveHere(place)
    const other = path.join(place.folder, 'other')
    mkdirSync(other)
    const text = await troupe(place, ['serve', '--port', '0'], { cwd: other })
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(
      new RegExp(`\\(pid ${process.pid}\\)\\. Opened ${other} there: http\\S+#k=[\\w-]+&w=w_`),
    )
    const json = await troupe(place, ['--json', '--workspace', other])
    expect(JSON.parse(json.stdout)).toMatchObject({ pid: process.pid, workspace: other })
    const own = await troupe(place, ['serve', '--port', '0'])
    expect(own.stdout).toMatch(/#k=[\w-]+\n$/)
    expect(own.stderr).toBe('')
  })

  test('-p, -c, -r and debug go through it', async () => {
    await serveHere(place)
    const first = JSON.parse((await troupe(place, ['-p', 'repeat: one', '--output-format', 'json'])).stdout)
    expect(first).toMatchObject({ result: 'one', error: null })
    const next = JSON.parse(
      (await troupe(place, ['-p', 'Summarize our conversation so far', '-c', '--output-format', 'json'])).stdout,
    )
    expect(next.sessionId).toBe(first.sessionId)
    const view = JSON.parse((await troupe(place, ['debug', first.sessionId, '--json'])).stdout)
    expect(view.chain).toHaveLength(4)
    expect((await troupe(place, ['debug', first.sessionId])).stdout).toContain('# Prompt for the model')
  })

  test('from another folder, it works there, and its sessions stay there', async () => {
    await serveHere(place)
    const here = JSON.parse((await troupe(place, ['-p', 'repeat: here', '--output-format', 'json'])).stdout)
    const there = JSON.parse(
      (await troupe(place, ['-p', 'repeat: there', '--output-format', 'json', '--workspace', place.folder])).stdout,
    )
    expect(there).toMatchObject({ result: 'there', error: null })
    const next = JSON.parse((await troupe(place, ['-p', 'repeat: again', '-c', '--output-format', 'json'])).stdout)
    expect(next.sessionId).toBe(here.sessionId)
    expect(await troupe(place, ['-p', 'x', '-r', there.sessionId])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no chat "${there.sessionId}" in this folder`),
    })
    expect((await troupe(place, ['debug', there.sessionId, '--workspace', place.folder])).code).toBe(0)
  })

  test('import does not wait: it reports the process that owns the home', async () => {
    await serveHere(place)
    expect(await troupe(place, ['import', place.folder])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`pid ${process.pid}`),
    })
  })

  test('a host that others can reach is refused', async () => {
    expect(await troupe(place, ['serve', '--host', '0.0.0.0', '--port', '0'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^troupe: .*0\.0\.0\.0/),
    })
  })
})

describe('the rest', () => {
  test('import adds exported sessions to another home', async () => {
    const { sessionId } = JSON.parse((await troupe(place, ['-p', 'repeat: kept', '--output-format', 'json'])).stdout)
    const old = place.env['TROUPE_HOME'] as string
    place.env['TROUPE_HOME'] = path.join(place.folder, 'new home')
    expect(await troupe(place, ['import', old])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 session, 0 problems'),
    })
    const view = JSON.parse((await troupe(place, ['debug', sessionId, '--json'])).stdout)
    expect(JSON.stringify(view.chain)).toContain('kept')
  })

  test('the launcher becomes the program, even through a link', async () => {
    const launcher = fileURLToPath(new URL('../bin/troupe', import.meta.url))
    const link = path.join(place.folder, 'a link')
    symlinkSync(launcher, link)
    const child = spawn(link, ['serve', '--json', '--port', '0'], {
      cwd: path.join(place.folder, 'work'),
      env: place.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    place.ends.push(() => end(child))
    const at = await firstLine(child.stdout)
    expect(JSON.parse(at)).toMatchObject({ pid: child.pid })
  })
})
