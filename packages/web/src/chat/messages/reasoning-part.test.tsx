import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { render } from '../../testing/render.tsx'
import { t } from '../../texts/t.ts'
import { lastSentence, ReasoningPart } from './reasoning-part.tsx'

afterEach(() => vi.useRealTimers())

test('it counts seconds while it streams, and says afterwards how long it took', async () => {
  vi.useFakeTimers()
  const part = (streaming: boolean, elapsedMs?: number) => (
    <ReasoningPart id="1" text="First this. Then" streaming={streaming} elapsedMs={elapsedMs} />
  )
  const { view, draw } = await render(part(true))
  const head = () => view.querySelector('button')?.textContent
  expect(head()).toBe(`${t.chat.thinking}First this.`)
  await act(async () => vi.advanceTimersByTimeAsync(5000))
  expect(head()).toBe(`${t.chat.thinking}5 sFirst this.`)
  await draw(part(false, 12_400))
  expect(head()).toBe(t.chat.thoughtFor('12 s'))
  await draw(part(false, 800))
  expect(head()).toBe(t.chat.thought)
})

test('the last finished sentence or line is shown, without Markdown', () => {
  expect(lastSentence('The user wants')).toBe('')
  expect(lastSentence('The user wants a plan. First I')).toBe('The user wants a plan.')
  expect(lastSentence('**Reading the files**\n\nI should look at')).toBe('Reading the files')
  expect(lastSentence('- one\n- two\n\n')).toBe('two')
  expect(lastSentence('用户想要一个计划。首先')).toBe('用户想要一个计划。')
})

test('a number or a file name does not end a sentence', () => {
  expect(lastSentence('Version 1.5 of app.ts is old. So')).toBe('Version 1.5 of app.ts is old.')
})

test('a very long text without an end is no problem', () => {
  expect(lastSentence('a'.repeat(1_000_000))).toBe('')
})
