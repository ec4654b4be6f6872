import { expect, test } from 'vitest'
import { readEditedInput } from './input-editor.tsx'

test('an edit is its new text, or none if it is unchanged', () => {
  expect(readEditedInput('{ "path": "b" }', { path: 'a' })).toEqual({ ok: true, input: { path: 'b' } })
  expect(readEditedInput('{\n  "path": "a"\n}', { path: 'a' })).toEqual({ ok: true })
})

test('invalid JSON is rejected with the reason', () => {
  expect(readEditedInput('{ "path": ', {})).toMatchObject({ ok: false, problem: expect.stringContaining('JSON') })
})
