import { expect, test } from 'vitest'
import type { AppState } from './app-state.ts'
import { hasRemoteChanges } from './has-remote-changes.ts'

const state = {
  sessionId: 's1',
  isNew: false,
  isAway: false,
  sessions: [{ id: 's1', updatedAt: 5, title: 'First words' }],
  unlistedSessions: {},
}
const ask = async (changes: object, answer: () => unknown) => {
  const asked: string[] = []
  const session = (id: string) => {
    asked.push(id)
    return Promise.try(answer)
  }
  const isNews = await hasRemoteChanges({ ...state, ...changes } as unknown as AppState, { session } as never)
  return [isNews, asked.length]
}
const changed =
  (updatedAt: number, title = 'First words') =>
  () => ({ session: { updatedAt, title } })

test('only the open chat is requested, and only if it may have changed', async () => {
  expect(await ask({}, changed(5))).toEqual([false, 1])
  expect(await ask({}, changed(6))).toEqual([true, 1])
  expect(await ask({}, changed(5, 'Title by a model'))).toEqual([true, 1])
  expect(await ask({ isNew: true }, changed(6))).toEqual([false, 0])
  expect(await ask({ isAway: true }, changed(6))).toEqual([false, 0])
  expect(await ask({ sessions: [] }, changed(6))).toEqual([false, 0])
})

test('a failed request is not a change', async () => {
  const failing = () => {
    throw new Error('gone')
  }
  expect(await ask({}, failing)).toEqual([false, 1])
})
