import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withAndWithoutSandbox } from '../testing/shell-modes.ts'
import { openTestShell, type TestShell } from '../testing/test-shell.ts'
import jsReplReset from './js-repl-reset.ts'
import jsRepl from './js-repl.ts'

withAndWithoutSandbox((way) => {
  let shell: TestShell
  beforeAll(() => {
    shell = openTestShell(way)
  })
  afterAll(() => shell.close())

  const js = async (code: string): Promise<string> => (await shell.call(jsRepl, code)).text

  test('state is kept between calls, and names can be redeclared', async () => {
    expect(await js('const a = 1; let b = 2; function f() { return a + b }; class C {}')).toBe('=> undefined')
    expect(await js('f()')).toBe('=> 3')
    expect(await js('const a = 10; let b = 20; class C { x = 1 }; [f(), new C()]')).toBe('=> [ 30, C { x: 1 } ]')
  })

  test('await works at the top', async () => {
    expect(await js('const late = await new Promise((done) => setTimeout(done, 20, 5)); late * 2')).toBe('=> 10')
  })

  test('output comes in order, before the value', async () => {
    const text = await js(
      `console.log('out', { a: [1] }); console.error('err'); process.stdout.write('raw\\n'); 'value'`,
    )
    expect(text).toBe(`out { a: [ 1 ] }\nerr\nraw\n=> 'value'`)
  })

  test.each([
    ['new Map([[1, new Set([2])]])', '=> Map(1) { 1 => Set(1) { 2 } }'],
    ['10n ** 20n', '=> 100000000000000000000n'],
    ['-0', '=> -0'],
    ['NaN', '=> NaN'],
    ['null', '=> null'],
    ['undefined', '=> undefined'],
    ['Symbol("s")', '=> Symbol(s)'],
    ['({ a: 1 })', '=> { a: 1 }'],
  ])('the value of %s is shown', async (code, shown) => {
    expect(await js(code)).toBe(shown)
  })

  test('errors are shown with only the frames of the code', async () => {
    expect(await js('function deep() { throw new TypeError("boom") }\ndeep()')).toBe(
      'Uncaught TypeError: boom\n    at deep (<anonymous>:1:25)\n    at <anonymous>:2:1',
    )
    expect(await js('await Promise.reject(Object.assign(new Error("no"), { code: 5 }))')).toMatch(
      /^Uncaught Error: no\n {4}at <anonymous>:1:\d+ \{\n {2}code: 5\n\}$/,
    )
    expect(await js('const = 1')).toMatch(/^Uncaught SyntaxError: Unexpected token '='/)
    expect(await js('throw 5')).toBe('Uncaught 5')
  })

  test('a later error does not end the session', async () => {
    await js(
      'globalThis.kept = 1; setTimeout(() => { throw new Error("late") }, 1); void Promise.reject(new Error("lost"))',
    )
    const text = await js('await new Promise((done) => setTimeout(done, 50)); kept')
    expect(text).toContain('Uncaught, asynchronous: Error: late')
    expect(text).toContain('Uncaught, asynchronous: Error: lost')
    expect(text.endsWith('=> 1')).toBe(true)
  })

  test('Node modules and local files can be imported', async () => {
    expect(await js(`import { join } from 'node:path'; import os from 'os'; join('a', 'b') + typeof os.EOL`)).toBe(
      `=> 'a/bstring'`,
    )
    expect(
      await js(`require('node:fs').writeFileSync('m.mjs', 'export const x = 42'); (await import('./m.mjs')).x`),
    ).toBe('=> 42')
    expect(await js(`await import('left-pad')`)).toContain("Only Node's built-in modules")
  })

  test('long output is cut and kept in a file', async () => {
    const { output } = await shell.call(jsRepl, 'for (let i = 0; i < 20000; i++) console.log(i); "end"')
    expect(output.spilled?.path.startsWith(shell.state.outputFolder)).toBe(true)
    expect(output.text.length).toBeLessThan(31_000)
    expect(output).toMatchObject({ value: `'end'`, status: 'done' })
  })

  describe('blocked features', () => {
    test('files, by reading and writing', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'troupe-outside-'))
      writeFileSync(path.join(folder, 'secret'), 'canary')
      expect(await js(`require('fs').readFileSync(${JSON.stringify(path.join(folder, 'secret'))}, 'utf8')`)).toMatch(
        /^Uncaught .*restricted/,
      )
      expect(await js(`require('fs').writeFileSync(${JSON.stringify(path.join(folder, 'new'))}, '')`)).toMatch(
        /^Uncaught .*restricted/,
      )
      expect(existsSync(path.join(folder, 'new'))).toBe(false)
      rmSync(folder, { recursive: true })
    })

    test('other programs, threads, our process and our environment', async () => {
      for (const name of [
        'child_process',
        'node:child_process',
        'worker_threads',
        'cluster',
        'inspector',
        'vm',
        'module',
      ]) {
        expect(await js(`require('${name}')`)).toContain('is not available here')
        expect(await js(`await import('${name}')`)).toContain('is not available here')
      }
      expect(await js(`process.getBuiltinModule('child_process')`)).toBe('=> undefined')
      expect(await js('process.kill(process.ppid, 0)')).toContain('not a function')
      expect(await js('process.binding("fs")')).toMatch(/^Uncaught/)
      expect(await js('Object.keys(process.env).sort()')).toBe(`=> [ 'TROUPE_CALL', 'TROUPE_TASK' ]`)
    })

    test('the network, by ordinary means', async () => {
      let connected = 0
      const server = createServer((socket) => {
        connected++
        socket.end()
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      expect(await js(`await fetch('http://127.0.0.1:${port}/')`)).toContain('fetch is not defined')
      expect(await js(`new WebSocket('ws://127.0.0.1:${port}/')`)).toContain('WebSocket is not defined')
      for (const name of ['net', 'http', 'https', 'tls', 'dgram', 'dns'])
        expect(await js(`require('${name}')`)).toContain('is not available')
      expect(connected).toBe(0)
      server.close()
    })
  })

  describe('a session lost', () => {
    test('to its time limit reports it, and the next call starts a new one', async () => {
      await js('var before = 1')
      const text = await js('// timeout_ms=2500\nconsole.log("so far"); while (true);')
      expect(text).toMatch(
        /^so far\nTimed out after 2\.5 s: the session was ended and everything declared in it is lost\.$/,
      )
      expect(await js('typeof before')).toBe(`=> 'undefined'`)
    })

    test('to an exit', async () => {
      expect(await js('console.log("bye"); process.exit(3)')).toMatch(
        /^bye\nThe code ended the process with exit code 3\./,
      )
    })

    test('to its memory limit', async () => {
      const text = await js('const hoard = []; while (true) hoard.push(new Array(1e6).fill(1.5))')
      expect(text).toContain('heap out of memory')
      expect(text).toContain('more than 256 MB')
      expect(text.length).toBeLessThan(500)
    })

    test('to a stop of the run reports it, and keeps the output', async () => {
      await js('1')
      const stop = new AbortController()
      const code = 'console.log("so far"); while (true);'
      const running = shell.call(jsRepl, code, { signal: stop.signal })
      setTimeout(() => stop.abort(new Error('stop')), 200)
      const { output, text } = await running
      expect(text).toBe(
        'so far\nStopped by the user before it finished. The session was ended and everything declared in it is lost.',
      )
      expect(jsRepl.display!(output, code)).toMatchObject({
        summary: expect.stringContaining('Stopped by the user'),
        content: { status: 'stopped' },
      })
    })

    test('to a reset', async () => {
      await js('var before = 1')
      expect((await shell.call(jsReplReset, {})).text).toContain('was ended')
      expect(shell.running()).toEqual([])
      expect(await js('typeof before')).toBe(`=> 'undefined'`)
      await shell.call(jsReplReset, {})
      expect((await shell.call(jsReplReset, {})).text).toContain('There was no session')
    })
  })
})
