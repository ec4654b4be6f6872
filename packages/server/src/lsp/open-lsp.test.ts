import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CodeIntelligence, Workspace } from '@troupe/core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { rpcLimits } from './json-rpc.ts'
import { type Lsp, type LanguageServerSettings, openLsp } from './open-lsp.ts'

const repository = fileURLToPath(new URL('../../../..', import.meta.url))
const signal = new AbortController().signal
let folder: string
let workspace: Workspace
const opened: Lsp[] = []

beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-lsp-')))
  workspace = { id: 'w_1', path: folder, trusted: true } as Workspace
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'))
  write('tsconfig.json', '{ "compilerOptions": { "strict": true, "noEmit": true, "types": [] } }')
  write('names.ts', 'export const names = ["a", "b"]\nexport function first(): string {\n  return names[0] ?? ""\n}\n')
  write('use.ts', 'import { first } from "./names"\nconst wrong: number = "before"\nfirst()\n')
  write('secret.ts', 'import { first } from "./names"\nfirst()\n')
})
afterEach(() => Promise.all(opened.splice(0).map((lsp) => lsp.close())))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** On a busy machine a language server needs longer than a tool result waits for it. */
/** As a person would set it: programs of the folder itself need a sandbox. */
const typescript = {
  typescript: {
    command: [
      path.join(repository, `node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`),
      '--lsp',
      '--stdio',
    ],
  },
}

function open(
  settings: LanguageServerSettings = typescript,
  patience: { afterEditMs?: number } = { afterEditMs: 20_000 },
): Lsp {
  const lsp = openLsp({
    ...patience,
    env: process.env,
    logger: () => undefined,
    settings: () => settings,
    limits: { ...rpcLimits, burstBytes: 8 << 20 },
  })
  opened.push(lsp)
  return lsp
}

function code(lsp: Lsp): CodeIntelligence {
  return lsp.of(workspace) as CodeIntelligence
}

/** A server that answers as told, for what a real one never does. */
function fake(name: string, body: string): LanguageServerSettings {
  const file = write(`fake-${name}.cjs`, body)
  return { typescript: { command: [process.execPath, file] } }
}

const talk = `
let held = Buffer.alloc(0)
process.stdin.on('data', (data) => {
  held = Buffer.concat([held, data])
  for (;;) {
    const at = held.indexOf('\\r\\n\\r\\n')
    if (at < 0) return
    const length = Number(/\\d+/.exec(held.toString('latin1', 0, at))[0])
    if (held.length < at + 4 + length) return
    const message = JSON.parse(held.toString('utf8', at + 4, at + 4 + length))
    held = held.subarray(at + 4 + length)
    on(message)
  }
})
const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
  process.stdout.write('Content-Length: ' + body.length + '\\r\\n\\r\\n')
  process.stdout.write(body)
}
`

it('an untrusted folder starts none', () => {
  expect(open().of({ ...workspace, trusted: false })).toBeUndefined()
})

it('answers questions about code, without files that rules hide', async () => {
  const ask = code(open()).ask
  const file = path.join(folder, 'use.ts')
  const call = { signal }
  expect(await ask({ action: 'definition', path: file, symbol: 'first' }, call)).toMatchObject({
    places: [{ path: 'names.ts', line: 2, text: 'export function first(): string {' }],
  })
  const references = (hides?: (real: string) => boolean) =>
    ask({ action: 'references', path: path.join(folder, 'names.ts'), symbol: 'first' }, { signal, hides })
  expect((await references()).places.map((place) => place.path)).toEqual(
    expect.arrayContaining(['names.ts', 'use.ts', 'secret.ts']),
  )
  const hidden = await references((real) => real.endsWith('secret.ts'))
  expect(hidden.text).not.toContain('secret.ts')
  expect((await ask({ action: 'hover', path: file, symbol: 'first', line: 3 }, call)).text).toContain('first(): string')
  const symbols = await ask({ action: 'symbols', path: path.join(folder, 'names.ts') }, call)
  expect(symbols.text).toMatch(/names\.ts:2: function first/)
  expect((await ask({ action: 'symbols', symbol: 'first' }, call)).text).toContain('names.ts:2')
  expect((await ask({ action: 'diagnostics', path: file }, call)).text).toMatch(
    /^use\.ts:2:7 error: Type 'string' is not assignable to type 'number'\. \(ts 2322\)$/,
  )
  await expect(ask({ action: 'hover', path: file, symbol: 'first', line: 9 }, call)).rejects.toThrow('Line 9 does not')
  await expect(ask({ action: 'hover', path: file, symbol: 'irst' }, call)).rejects.toThrow('"irst" is not in the file')
  const text = write('notes.txt', 'hello')
  await expect(ask({ action: 'symbols', path: text }, call)).rejects.toThrow('No language server knows files like')
})

it('a change reports only the problems that it caused', async () => {
  const lsp = open()
  const file = path.join(folder, 'use.ts')
  await lsp.problems(workspace, file)
  write('use.ts', 'import { first } from "./names"\n\nconst wrong: number = "before"\nfirst().nope\n')
  expect(await code(lsp).problemsAfter([file], signal)).toBe(
    "New problems found by the language server:\nuse.ts:4:9 error: Property 'nope' does not exist on type 'string'. (ts 2339)",
  )
  expect(await code(lsp).problemsAfter([file], signal)).toBeUndefined()
  const created = write('new.ts', 'export const n: string = 1\n')
  expect(await code(lsp).problemsAfter([created], signal)).toContain(
    'Problems found by the language server:\nnew.ts:1:14',
  )
  rmSync(created)
  expect(await code(lsp).problemsAfter([created, path.join(folder, 'notes.txt')], signal)).toBeUndefined()
})

it('an editor gets the problems of its own text', async () => {
  const file = path.join(folder, 'names.ts')
  expect(await open().problems(workspace, file, 'export const n: number = ""\n')).toMatchObject([
    { line: 1, column: 14, severity: 'error', code: '2322' },
  ])
})

it('a server that publishes problems is waited for, and its later word counts', async () => {
  const settings = fake(
    'push',
    `${talk}
    const publish = (document, ...diagnostics) => send({ method: 'textDocument/publishDiagnostics', params: { uri: document.uri, version: document.version, diagnostics } })
    const problem = (message) => ({ range: { start: { line: 0, character: 0 } }, severity: 1, message })
    function on({ id, method, params }) {
      if (method === 'initialize') send({ id, result: { capabilities: {} } })
      if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') {
        publish({ ...params.textDocument, version: 0 }, problem('stale'))
        publish(params.textDocument, problem('syntax'))
        setTimeout(() => publish(params.textDocument, problem('syntax'), problem('types')), 30)
      }
    }`,
  )
  const problems = await open(settings).problems(workspace, path.join(folder, 'names.ts'))
  expect(problems?.map(({ message }) => message)).toEqual(['syntax', 'types'])
})

it.each([
  ['prints garbage', `process.stdout.write('hello\\n'.repeat(10000)); setInterval(() => 0, 1000)`, 'something else'],
  ['claims a huge message', `process.stdout.write('Content-Length: 9999999999\\r\\n\\r\\n')`, 'larger than 4096 KiB'],
  [
    'prints a gigabyte',
    `const b = Buffer.alloc(1 << 20, 'x'); const w = () => { while (process.stdout.write(b)); process.stdout.once('drain', w) }; w()`,
    'something else',
  ],
  [
    'floods with messages',
    `const { writeSync } = require('node:fs'); const body = JSON.stringify({ method: 'x', params: 'x'.repeat(1 << 19) }); for (;;) writeSync(1, 'Content-Length: ' + body.length + '\\r\\n\\r\\n' + body)`,
    'printed too much',
  ],
  [
    'sends messages without their parts',
    `const { writeSync } = require('node:fs'); for (const body of ['{"method":"textDocument/publishDiagnostics"}', '{"id":2,"method":"workspace/configuration","params":{"items":[null,7]}}', '{"id":3,"method":"workspace/configuration","params":{"items":5}}']) writeSync(1, 'Content-Length: ' + body.length + '\\r\\n\\r\\n' + body)`,
    'sent an invalid message',
  ],
  ['sends broken JSON', `process.stdout.write('Content-Length: 3\\r\\n\\r\\n{]}')`, 'not JSON'],
  ['exits at once', `process.exit(3)`, 'exited with code 3'],
])('a server that %s fails with its reason, and is given up after three tries', async (name, body, reason) => {
  const lsp = open(fake(name.replaceAll(' ', '-'), body))
  const file = path.join(folder, 'names.ts')
  for (let round = 0; round < 3; round++)
    await expect(code(lsp).ask({ action: 'symbols', path: file }, { signal })).rejects.toThrow(reason)
  expect(lsp.states(workspace)).toMatchObject([{ state: 'failed', problem: expect.stringContaining(reason) }])
  expect(await code(lsp).problemsAfter([file], signal)).toBeUndefined()
})

it('a hanging server delays a result by two seconds at most, and ends with ours', async () => {
  const hanging = fake('hang', `process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)`)
  const lsp = open(hanging, {})
  const before = performance.now()
  expect(await code(lsp).problemsAfter([path.join(folder, 'names.ts')], signal)).toBeUndefined()
  expect(performance.now() - before).toBeLessThan(15_000)
  expect(lsp.states(workspace)).toMatchObject([{ state: 'starting' }])
})

it('a setting turns a server off', async () => {
  const lsp = open({ typescript: { disabled: true } })
  await expect(code(lsp).ask({ action: 'symbols', path: path.join(folder, 'names.ts') }, { signal })).rejects.toThrow(
    'No language server for TypeScript was found',
  )
})

it('without a sandbox, a program of the folder is not started, because agents can change it', async () => {
  const lsp = open({})
  expect(await code(lsp).problemsAfter([path.join(folder, 'names.ts')], signal)).toBeUndefined()
  expect(lsp.states(workspace)).toEqual([])
})
