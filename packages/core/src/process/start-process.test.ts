import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startProcess } from './start-process.ts'

test('a program that cannot be started is a named error', async () => {
  const start = startProcess('The helper', () => spawn('/no/such/program', { stdio: 'pipe' }))
  await expect(start).rejects.toThrow('The helper could not be started: spawn /no/such/program ENOENT.')
})

/** Opens files until none are left, calls tools, closes the files, and calls them again. */
const program = `
import { closeSync, openSync } from 'node:fs'
import bash from '../tools/bash.ts'
import execCommand from '../tools/exec-command.ts'
import glob from '../tools/glob.ts'
import grep from '../tools/grep.ts'
import jsRepl from '../tools/js-repl.ts'
import jsReplReset from '../tools/js-repl-reset.ts'
import { runCommandHook } from '../hooks/load-hooks.ts'
import { createStdioTransport } from '../mcp/stdio-transport.ts'
import { mcpLimits } from '../mcp/server-config.ts'
import { openTestShell } from '../testing/test-shell.ts'
const shell = openTestShell()
const server = () => createStdioTransport({ command: 'cat', args: [], env: {}, cwd: '/', limits: mcpLimits, onText() {} })
const calls = {
  bash: () => shell.call(bash, { command: 'echo fine' }),
  'in the background': () => shell.call(bash, { command: 'echo fine', run_in_background: true }),
  terminal: () => shell.call(execCommand, { cmd: 'echo fine', tty: true }),
  grep: () => shell.call(grep, { pattern: 'x', path: shell.workspace }),
  glob: () => shell.call(glob, { pattern: '*', path: shell.workspace }),
  javascript: () => shell.call(jsRepl, '1 + 1'),
  hook: () => runCommandHook('true', { workspace: '/' }, new AbortController().signal),
  'mcp server': async () => { const one = server(); await one.start(); await one.close() },
}
for (const call of Object.values(calls)) await call()
await shell.call(jsReplReset, {})
const all = async () => {
  const outcomes = {}
  await Promise.all(Object.entries(calls).map(async ([name, call]) => {
    outcomes[name] = await call().then(() => 'fine', (error) => error.message)
  }))
  return outcomes
}
shell.state.pool.close()
const hoard = []
try { for (;;) hoard.push(openSync('/dev/null')) } catch {}
const without = await all()
hoard.forEach((file) => closeSync(file))
const after = await all()
console.log(JSON.stringify({ without, after }))
await shell.close()
process.exit()
`

test.runIf(process.platform === 'linux')(
  'without file handles, every call reports it and nothing else breaks; afterwards everything works',
  async () => {
    const args = ['--conditions=troupe-source', '--disable-warning=ExperimentalWarning', '--input-type=module', '-e']
    const child = spawn('bash', ['-c', 'ulimit -n 120; exec "$@"', 'bash', process.execPath, ...args, program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { without, after } = JSON.parse(await text(child.stdout)) as Record<string, Record<string, string>>
    expect(Object.keys(without ?? {})).toHaveLength(8)
    for (const [name, outcome] of Object.entries(without ?? {}))
      expect(`${name}: ${outcome}`).toMatch(/too many files open|out of terminals, files or processes/)
    expect(new Set(Object.values(after ?? {}))).toEqual(new Set(['fine']))
  },
)
