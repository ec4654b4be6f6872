import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openConfig } from './config.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-config-'))
  file = path.join(folder, 'config.json')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const full = {
  model: 'acme/large-1',
  providers: {
    acme: { type: 'openai-compatible', baseURL: 'http://127.0.0.1:9000/v1', apiKey: 'secret', models: ['large-1'] },
  },
  permissions: { mode: 'default', allow: ['Bash(npm test)'], ask: [], deny: ['Read(.env)'] },
  useTools: null,
  mcpServers: {},
  recovery: 'wait',
  limits: { steps: 5, tokens: 1000, seconds: 1.5 },
}

test('a home without a config has an empty one', () => {
  const config = openConfig({ path: folder })
  expect(config.get()).toEqual({})
  expect(config.warnings()).toEqual([])
})

test('the documented format is read', () => {
  writeFileSync(file, JSON.stringify(full), { mode: 0o600 })
  const config = openConfig({ path: folder })
  expect(config.get()).toEqual(full)
  expect(config.warnings()).toEqual([])
})

test('an update is private, keeps unknown keys and takes effect at once', async () => {
  writeFileSync(file, JSON.stringify({ ...full, colour: 'green' }), { mode: 0o644 })
  const config = openConfig({ path: folder })
  await config.update((current) => ({ ...current, model: 'demo/tour' }))
  expect(config.get()).toEqual({ ...full, colour: 'green', model: 'demo/tour' })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(config.get())
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('keys that others could read become private, with a warning that does not tell them', () => {
  writeFileSync(file, JSON.stringify(full), { mode: 0o644 })
  const config = openConfig({ path: folder })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(config.warnings()).toEqual([expect.stringContaining(`could read the keys in ${file}`)])
  expect(config.warnings()[0]).not.toContain(full.providers.acme.apiKey)
  expect(openConfig({ path: folder }).warnings()).toEqual([])
})

test('a config without keys keeps the mode that it has', () => {
  writeFileSync(file, '{"model":"a/b"}', { mode: 0o644 })
  expect(openConfig({ path: folder }).warnings()).toEqual([])
  expect(statSync(file).mode & 0o777).toBe(0o644)
})

test('keys added to the file later become private, too', async () => {
  const config = openConfig({ path: folder })
  await nextTurn()
  writeFileSync(file, '{"search":{"provider":"brave","apiKey":"x"}}', { mode: 0o644 })
  expect(config.warnings()).toEqual([expect.stringContaining('could read the keys')])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file with credentials of MCP servers becomes private', async () => {
  const config = openConfig({ path: folder })
  await nextTurn()
  writeFileSync(file, '{"mcpServers":{"files":{"command":"x","env":{"KEY":"y"}}}}', { mode: 0o644 })
  expect(config.warnings()).toEqual([expect.stringContaining('could read the keys')])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('unknown keys are named at every depth', () => {
  writeFileSync(file, '{"colour":1,"permissions":{"alow":[]},"limits":{"step":1},"providers":{"acme":{"apikey":"x"}}}')
  const warnings = openConfig({ path: folder }).warnings()
  for (const key of ['colour', 'permissions.alow', 'limits.step', 'providers.acme.apikey']) {
    expect(warnings).toContainEqual(expect.stringContaining(`"${key}"`))
  }
  expect(warnings).toHaveLength(4)
})

test('a change of the file takes effect in the next turn of the event loop', async () => {
  const config = openConfig({ path: folder })
  expect(config.get()).toEqual({})
  writeFileSync(file, '{"model":"a/b"}')
  await nextTurn()
  expect(config.get().model).toBe('a/b')
  writeFileSync(file, '{"model":"c/d"}')
  await nextTurn()
  expect(config.get().model).toBe('c/d')
  rmSync(file)
  await nextTurn()
  expect(config.get()).toEqual({})
})

test('a file that is broken at the start is refused with its place and without its content', () => {
  writeFileSync(
    file,
    '{\n  "model": "a/b",\n  "providers": { "acme": { "apiKey": "sk-very-secret" } }\n  "useTools": null\n}',
  )
  expect(() => openConfig({ path: folder })).toThrow(
    expect.objectContaining({
      name: 'BadConfig',
      data: { file, line: 4, column: 3 },
      message: expect.not.stringContaining('secret'),
    }),
  )
})

test('a value of the wrong type is rejected with its name', () => {
  writeFileSync(file, '{"limits":{"steps":"many"},"recovery":"maybe"}')
  expect(() => openConfig({ path: folder })).toThrow(
    expect.objectContaining({ name: 'BadConfig', message: expect.stringMatching(/recovery: .*limits\.steps: /) }),
  )
})

test('a file that becomes invalid keeps the last valid one in effect and is never overwritten', async () => {
  writeFileSync(file, '{"model":"a/b"}')
  const config = openConfig({ path: folder })
  writeFileSync(file, '{"model":')
  await nextTurn()
  expect(config.get().model).toBe('a/b')
  expect(config.warnings()).toEqual([expect.stringContaining('line 1, column 10')])
  await expect(config.update((current) => ({ ...current, model: 'x/y' }))).rejects.toMatchObject({ name: 'BadConfig' })
  expect(readFileSync(file, 'utf8')).toBe('{"model":')
  writeFileSync(file, '{"model":"c/d"}')
  await nextTurn()
  expect(config.get().model).toBe('c/d')
  expect(config.warnings()).toEqual([])
})

test('an update that would break the file is refused', async () => {
  const config = openConfig({ path: folder })
  await expect(config.update(() => ({ limits: { steps: -1 } }))).rejects.toMatchObject({ name: 'BadConfig' })
  expect(config.get()).toEqual({})
})
