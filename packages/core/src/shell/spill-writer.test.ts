import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createOutputCollector, createSpillWriter } from './command-output.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'troupe-spill-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const contextIn = (outputFolder: string) => ({ state: { outputFolder }, toolCallId: 'call-1' })

test('a file stops growing at its limit, with a note', async () => {
  const writer = createSpillWriter(contextIn(folder), 'bash', 10)
  await writer.add('12345')
  expect(writer.note).toBeUndefined()
  await writer.add('67890abc')
  await writer.add('more')
  await writer.end()
  expect(writer.note).toContain('only the first 10 bytes')
  expect(readFileSync(writer.path!, 'utf8')).toBe(`1234567890\n[${writer.note}]\n`)
})

test('NULs do not make the file a binary one', async () => {
  const writer = createSpillWriter(contextIn(folder), 'bash')
  await writer.add('a\0b')
  await writer.end()
  expect(readFileSync(writer.path!, 'utf8')).toBe('a\ufffdb')
})

test('short output is shown whole and creates no file', async () => {
  const keeper = createOutputCollector(contextIn(path.join(folder, 'never')), 'bash')
  await keeper.add('x'.repeat(30_000))
  expect(await keeper.end()).toEqual({ text: 'x'.repeat(30_000) })
})

test('longer output keeps head and tail, and the file has everything', async () => {
  const keeper = createOutputCollector(contextIn(folder), 'bash')
  const lines = Array.from({ length: 4000 }, (_, i) => `line ${i} 🎭\n`)
  const whole = lines.join('')
  for (const line of lines) await keeper.add(line)
  const { text, spilled } = await keeper.end()
  expect(readFileSync(spilled!.path, 'utf8')).toBe(whole)
  expect(spilled!.length).toBe(whole.length)
  expect(text.slice(0, 14_990)).toBe(whole.slice(0, 14_990))
  expect(text.slice(-14_990)).toBe(whole.slice(-14_990))
  expect(text).toContain(`characters omitted. All ${whole.length} characters are in ${spilled!.path}`)
  expect(text.isWellFormed()).toBe(true)
  expect(text.length).toBeLessThan(30_500)
})

test('an unwritable folder loses the file, not the output', async () => {
  const file = path.join(folder, 'a-file')
  writeFileSync(file, '')
  const keeper = createOutputCollector(contextIn(path.join(file, 'output')), 'bash')
  await keeper.add('x'.repeat(40_000))
  const { text, spilled } = await keeper.end()
  expect(spilled).toBeUndefined()
  expect(text).toContain('could not be written')
  expect(text.startsWith('x'.repeat(15_000))).toBe(true)
  expect(text.endsWith('x'.repeat(15_000))).toBe(true)
})
