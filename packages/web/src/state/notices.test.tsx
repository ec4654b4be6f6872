import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { notice, Notices } from './notices.tsx'

afterEach(() => vi.useRealTimers())

const texts = () => [...document.querySelectorAll('.notice span')].map((element) => element.textContent)
const tell = (...said: string[]) => act(async () => said.forEach((one) => notice(one)))

/** Without those that earlier tests left. */
async function show(): Promise<void> {
  await render(<Notices />)
  while (texts().length > 0) await click(button(t.ui.dismiss))
}

test('the newest notices are shown, and the older ones come back instead of being lost', async () => {
  await show()
  vi.useFakeTimers()
  await tell('one', 'two', 'three', 'four', 'five')
  expect(texts()).toEqual(['three', 'four', 'five'])
  await act(async () => vi.advanceTimersByTimeAsync(9500))
  expect(texts()).toEqual(['one', 'two'])
  await act(async () => vi.advanceTimersByTimeAsync(9500))
  expect(texts()).toEqual([])
})

test('the older ones can be shown at once, and all dismissed together', async () => {
  await show()
  await tell('one', 'two', 'three', 'four', 'five')
  await click(button(t.ui.earlierNotices(2)))
  expect(texts()).toEqual(['one', 'two', 'three', 'four', 'five'])
  await click(button(t.ui.dismissAll))
  expect(texts()).toEqual([])
})
