import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spill, spillPreview } from './temporary-files.ts'

let base: string
beforeAll(() => {
  base = mkdtempSync(path.join(tmpdir(), 'spill-'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

test('a long text is stored whole in the output folder, with head, tail, path and full length', async () => {
  const ctx = { state: { outputFolder: path.join(base, 'session/output') }, toolCallId: 'call-1' }
  const text = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join('\n')
  const spilled = await spill(ctx, text, 'bash', { head: 100, tail: 50 })
  expect(readFileSync(spilled.path, 'utf8')).toBe(text)
  expect(spilled).toMatchObject({ length: text.length, path: path.join(base, 'session/output/bash-call-1.txt') })
  expect(spilled.preview).toMatch(/^line 0\nline 1\n/)
  expect(spilled.preview).toContain(`${text.length - 150} characters (`)
  expect(spilled.preview).toContain(`All ${text.length} characters are in ${spilled.path}`)
  expect(spilled.preview.endsWith(text.slice(-50))).toBe(true)
})

test('two spills of one call, and unusual call ids, each get their own file', async () => {
  const ctx = { state: { outputFolder: path.join(base, 'odd') }, toolCallId: '../../etc/passwd' }
  const first = await spill(ctx, 'one', 'web page')
  const second = await spill(ctx, 'two', 'web page')
  expect(path.dirname(first.path)).toBe(path.join(base, 'odd'))
  expect(second.path).not.toBe(first.path)
  expect([first, second].map((one) => readFileSync(one.path, 'utf8'))).toEqual(['one', 'two'])
})

test('a cut never splits a character, and short text is not cut', () => {
  expect(spillPreview('😀😀😀😀', 'f', { head: 3, tail: 3 })).toMatch(/^😀\n.*\n😀$/)
  expect(spillPreview('\u{1F600}ab', 'f', { head: 2, tail: 2 })).toBe('😀ab')
  expect(spillPreview('abcdef', 'f', { head: 2, tail: 0 })).toMatch(/^ab\n.*4 characters \(0 lines\).*\n$/)
})

test('a folder that cannot be made is an error', async () => {
  writeFileSync(path.join(base, 'file'), '')
  const ctx = { state: { outputFolder: path.join(base, 'file/output') }, toolCallId: 'c' }
  await expect(spill(ctx, 'x', 'bash')).rejects.toThrow('ENOTDIR')
})
