import { expect, test } from 'vitest'
import { readEditedInput } from './approval-bar.tsx'

test('an edit is what it says, and none where it says the same', () => {
  expect(readEditedInput('{ "path": "b" }', { path: 'a' })).toEqual({ ok: true, input: { path: 'b' } })
  expect(readEditedInput('{\n  "path": "a"\n}', { path: 'a' })).toEqual({ ok: true })
})

test('what is not JSON is refused with the reason', () => {
  expect(readEditedInput('{ "path": ', {})).toMatchObject({ ok: false, problem: expect.stringContaining('JSON') })
})
