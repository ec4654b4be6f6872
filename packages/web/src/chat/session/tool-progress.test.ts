import { expect, test } from 'vitest'
import { addMediaProgress, addProgress } from './message-parts.ts'

test('text is appended, other data replaced', () => {
  const progress = ['one ', { done: 1 }, 'two', { done: 2 }].reduce(
    (before: ReturnType<typeof addProgress> | undefined, delta) => addProgress(before, delta),
    undefined,
  )
  expect(progress).toEqual({ text: 'one two', last: { done: 2 } })
})

test('of a long text the end is kept, from the beginning of a line on', () => {
  const line = '\x1b[31mred\x1b[0m\n'
  const { text } = addProgress(undefined, line.repeat(5000))
  expect(text.length).toBeLessThanOrEqual(20_000)
  expect(text.startsWith(line)).toBe(true)
  expect(addProgress(undefined, 'x'.repeat(50_000)).text.length).toBe(20_000)
})

test('the newest progress of an image is known, and its model', () => {
  const begun = addMediaProgress(addProgress(undefined, 'words'), { model: 'acme/paint' })
  expect(begun).toEqual({ text: 'words', last: undefined, media: { model: 'acme/paint' } })
  const { media } = addMediaProgress(begun, { elapsedMs: 2000, progress: 0.5 })
  expect(media).toEqual({ model: 'acme/paint', elapsedMs: 2000, progress: 0.5 })
  expect(addMediaProgress({ ...begun, ...(media && { media }) }, { elapsedMs: 4000 }).media?.progress).toBeUndefined()
})
