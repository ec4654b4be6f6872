import { expect, test } from 'vitest'
import { askPollInterval } from './page-effects.ts'

test('asks are polled only without a stream, and in the background only with notifications', () => {
  const pause = (isVisible: boolean, isElsewhere: boolean, notifies: boolean) =>
    askPollInterval({ isVisible, isElsewhere, notifies })
  expect(pause(true, false, true)).toBeUndefined()
  expect(pause(true, true, false)).toBe(3_000)
  expect(pause(false, true, false)).toBeUndefined()
  expect(pause(false, false, true)).toBe(10_000)
})
