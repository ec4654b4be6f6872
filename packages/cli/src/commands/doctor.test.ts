import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Finding } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { serveHere, troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()

test('it lists findings, attempts and fixes', async () => {
  const { code, findings } = await doctor()
  expect(code).toBe(0)
  expect(findings).toContainEqual({ status: 'ok', name: 'home', text: path.join(place.folder, 'home') })
  expect(named(findings, 'provider ollama')).toEqual([
    expect.objectContaining({ status: 'info', text: expect.stringContaining('127.0.0.1:11434') }),
  ])
  expect(named(findings, 'provider openai')).toEqual([
    expect.objectContaining({ status: 'info', text: expect.stringMatching(/^not set up.*OPENAI_API_KEY/) }),
  ])
  expect(named(findings, 'sandbox')).toEqual([
    expect.objectContaining({ name: 'sandbox', status: expect.stringMatching(/^(ok|warn)$/) as string }),
  ])
  expect((await troupe(place, ['doctor'])).stdout).toMatch(/^– {5}provider openai +not set up/m)
})

test('it fails when something is broken, and tells no key', async () => {
  writeHome('config.json', '{"model": 1}')
  place.env['OPENAI_API_KEY'] = 'sk-a-very-secret-key'
  const broken = await troupe(place, ['doctor'])
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/^fail {2}config .*model/m) })
  rmSync(path.join(place.folder, 'home', 'config.json'))
  const { code, stdout } = await troupe(place, ['doctor'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok .*provider openai +has a key, from the environment \(OPENAI_API_KEY\)$/m)
  expect(stdout).not.toContain('secret')
})

test('a provider whose URL refuses connections is a warning, one that accepts them is not', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  place.ends.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  const providers = {
    there: { baseURL: `http://127.0.0.1:${port}/v1`, models: ['m'], apiKey: 'k' },
    gone: { baseURL: 'http://127.0.0.1:1/v1', models: ['m'] },
    ollama: { baseURL: 'http://127.0.0.1:1/v1' },
  }
  writeHome('config.json', JSON.stringify({ model: 'there/m', providers }), 0o600)
  const { findings } = await doctor()
  expect(named(findings, 'provider there')).toEqual([
    expect.objectContaining({ status: 'ok', text: expect.stringMatching(/^has a key, from the settings; /) }),
  ])
  expect(named(findings, 'provider gone')).toEqual([
    expect.objectContaining({ status: 'warn', text: 'needs no key; 127.0.0.1:1 refuses connections' }),
  ])
  expect(named(findings, 'provider ollama')).toEqual([expect.objectContaining({ status: 'warn' })])
})

test('a config that others can read is a warning', async () => {
  writeHome('config.json', '{}', 0o644)
  expect(named((await doctor()).findings, 'config')).toContainEqual(
    expect.objectContaining({ status: 'warn', fix: expect.stringMatching(/^chmod 600 /) }),
  )
  writeHome('config.json', '{"providers":{"openai":{"apiKey":"sk-secret"}}}', 0o644)
  const { findings } = await doctor()
  expect(named(findings, 'config')).toContainEqual({
    status: 'warn',
    name: 'config',
    text: expect.stringContaining('This is fixed now'),
  })
  expect(JSON.stringify(findings)).not.toContain('sk-secret')
})

test('a database of a newer version is a failure, not a sound one', async () => {
  expect((await troupe(place, ['-p', 'hello'])).code).toBe(0)
  const database = new DatabaseSync(path.join(place.folder, 'home', 'troupe.db'))
  database.exec('insert into schema_version values (99, 0)')
  database.close()
  const { code, findings } = await doctor()
  expect([code, named(findings, 'database')]).toEqual([
    1,
    [expect.objectContaining({ status: 'fail', text: expect.stringContaining('version 99') as string })],
  ])
})

test('a damaged database is a failure with instructions for restoring the chats, and they work', async () => {
  const { sessionId } = JSON.parse((await troupe(place, ['-p', 'repeat: kept', '--output-format', 'json'])).stdout)
  const home = path.join(place.folder, 'home')
  writeHome('troupe.db', 'not a database'.repeat(1000))
  const damaged = await doctor()
  expect(damaged.code).toBe(1)
  const fix = expect.stringContaining(`troupe import "${path.join(home, 'sessions')}"`)
  expect(named(damaged.findings, 'database')).toEqual([expect.objectContaining({ status: 'fail', fix })])
  expect(await troupe(place, ['-p', 'hello'])).toMatchObject({ code: 1, stdout: '', stderr: fix })
  for (const ending of ['', '-wal', '-shm']) rmSync(path.join(home, `troupe.db${ending}`), { force: true })
  expect((await troupe(place, ['import', path.join(home, 'sessions')])).code).toBe(0)
  expect((await troupe(place, ['debug', sessionId])).stdout).toContain('kept')
})

test('tools are counted, and a file that failed is named with its reason', async () => {
  writeTool('home/tools/good.ts')
  writeTool('home/tools/waiting.ts', 'await Promise.resolve()\n')
  writeTool('work/.troupe/tools/here.ts')
  const before = (await doctor()).findings
  expect(named(before, 'tools')).toEqual([
    expect.objectContaining({
      status: 'ok',
      text: expect.stringMatching(/^\d+ built in, 1 from .*, 0 from this/),
    }),
  ])
  expect(named(before, 'tool file')).toEqual([
    expect.objectContaining({
      status: 'warn',
      text: expect.stringMatching(/waiting\.ts was not loaded: tool files must not use top-level await$/),
    }),
  ])
  expect(named(before, 'workspace')).toEqual([
    expect.objectContaining({ status: 'info', fix: expect.stringContaining('troupe trust') }),
  ])
  expect((await troupe(place, ['trust'])).code).toBe(0)
  const after = (await doctor()).findings
  expect(named(after, 'tools')[0]?.text).toContain('1 from this folder')
  expect(named(after, 'workspace')).toEqual([expect.objectContaining({ status: 'ok' })])
})

test('trust is set through the server that owns the home, and can be revoked', async () => {
  writeTool('other/.troupe/tools/here.ts')
  writeTool('other/.troupe/tools/broken.ts', "throw new Error('not today')\n")
  const { port } = await serveHere(place)
  const other = path.join(place.folder, 'other')
  const trusted = await troupe(place, ['trust', other])
  expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining(`${other} is trusted`) })
  expect(trusted.stdout).toMatch(/skills, commands .* MCP servers/)
  expect(trusted.stderr).toBe(`troupe: ${path.join(other, '.troupe/tools/broken.ts')} was not loaded: not today.\n`)
  expect(await toolNames(port, other)).toContain('Here')
  expect(await troupe(place, ['trust', '--off'], { cwd: other })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is not trusted'),
  })
  expect(await toolNames(port, other)).not.toContain('Here')
})

test('a tool file that failed to load is reported once, as a sentence', async () => {
  writeTool('home/tools/broken.ts', "throw new Error('not today')\n")
  const sentence = `troupe: ${path.join(place.folder, 'home/tools/broken.ts')} was not loaded: not today.\n`
  expect(await troupe(place, ['trust'])).toMatchObject({ code: 0, stderr: sentence })
  expect(await troupe(place, ['-p', 'repeat: x'])).toMatchObject({ code: 0, stdout: 'x\n', stderr: sentence })
})

async function doctor(): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout } = await troupe(place, ['doctor', '--json'])
  return { code, findings: JSON.parse(stdout) as Finding[] }
}

function named(findings: Finding[], name: string): Finding[] {
  return findings.filter((finding) => finding.name === name)
}

function writeHome(name: string, text: string, mode = 0o600): void {
  const home = path.join(place.folder, 'home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(path.join(home, name), text)
  chmodSync(path.join(home, name), mode)
}

function writeTool(name: string, first = ''): void {
  const file = path.join(place.folder, name)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const tool = `{ description: 'x', input: z.object({}), readOnly: true, group: 'system', execute: () => 'x' }`
  const imports = `import { z } from 'zod'\nimport { defineTool } from '@troupe/core'\n`
  writeFileSync(file, `${imports}${first}export default defineTool(${tool})\n`)
}

async function toolNames(port: number, workspace: string): Promise<string[]> {
  const token = readFileSync(path.join(place.folder, 'home', 'token'), 'utf8')
  const response = await fetch(`http://127.0.0.1:${port}/ai/tools?workspace=${encodeURIComponent(workspace)}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return ((await response.json()) as { tools: { name: string }[] }).tools.map(({ name }) => name)
}
