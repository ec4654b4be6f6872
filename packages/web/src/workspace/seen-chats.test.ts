import { expect, test } from 'vitest'
import { createStorage } from '../platform/storage.ts'
import { isUnread, readSeen, withSeen, writeSeen } from './seen-chats.ts'

const storage = () =>
  createStorage(() => {
    throw new Error('blocked')
  })
const chat = (id: string, updatedAt: number) => ({ id, updatedAt })

test('on the first visit nothing is unread; an answer that came later is, until the chat is shown', () => {
  const seen = readSeen(storage(), 1000)
  expect(isUnread(seen, chat('old', 900))).toBe(false)
  expect(isUnread(seen, chat('new', 1100))).toBe(true)
  const shown = withSeen(seen, chat('new', 1100))
  expect(isUnread(shown, chat('new', 1100))).toBe(false)
  expect(isUnread(shown, chat('new', 1200))).toBe(true)
  expect(withSeen(shown, chat('new', 1100))).toBe(shown)
})

test('it is remembered, and damaged data starts anew', () => {
  const kept = storage()
  writeSeen(kept, withSeen(readSeen(kept, 1000), chat('a', 1500)))
  expect(isUnread(readSeen(kept, 9000), chat('a', 1500))).toBe(false)
  expect(isUnread(readSeen(kept, 9000), chat('b', 1500))).toBe(true)
  for (const damaged of ['{', '[]', '{"since":"x","times":{}}', 'null']) {
    kept.set('troupe.seen', damaged)
    expect(readSeen(kept, 5000)).toEqual({ since: 5000, times: {} })
  }
})

test('it stays small: the oldest times are dropped and count as seen', () => {
  let seen = readSeen(storage(), 0)
  for (let time = 1; time <= 600; time++) seen = withSeen(seen, chat(`c${time}`, time))
  expect(Object.keys(seen.times)).toHaveLength(500)
  expect(isUnread(seen, chat('c1', 1))).toBe(false)
  expect(isUnread(seen, chat('other', 601))).toBe(true)
})
