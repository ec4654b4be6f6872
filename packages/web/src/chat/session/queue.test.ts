import { expect, test } from 'vitest'
import { memoryQueueStorage } from '../../testing/fake-server.ts'
import { createQueue, waitingItems } from './queue.ts'

const file = { type: 'file' as const, mediaType: 'text/plain', url: '/ai/blobs/x', filename: 'a.txt' }
const textsOf = (queue: ReturnType<typeof createQueue>) => waitingItems(queue.getState()).map(({ text }) => text)

test('messages are kept in order, changed, moved, removed; another page finds them', () => {
  const place = memoryQueueStorage()
  const queue = createQueue(place)
  queue.add('one')
  queue.add('two', [file])
  queue.add('three')
  const [one, two, three] = queue.getState().items.map(({ id }) => id)
  queue.move(three ?? '', -2)
  queue.change(one ?? '', 'ONE')
  queue.move(two ?? '', 5)
  expect(textsOf(queue)).toEqual(['three', 'ONE', 'two'])
  expect(textsOf(createQueue(place.tab()))).toEqual(['three', 'ONE', 'two'])
  // A message without text keeps its file. One without text and files is removed.
  queue.change(two ?? '', ' ')
  queue.change(three ?? '', '')
  expect(createQueue(place.tab()).getState().items).toMatchObject([{ text: 'ONE' }, { text: ' ', files: [file] }])
  for (const { id } of queue.getState().items) queue.remove(id)
  expect(place.read()).toBeNull()
})

test('two tabs share one queue, and only one of them sends the next message after an answer', async () => {
  const place = memoryQueueStorage()
  const [here, there] = [createQueue(place), createQueue(place.tab())]
  here.add('one')
  there.add('two')
  expect(textsOf(here)).toEqual(['one', 'two'])
  const taken = await Promise.all([here.nextAfter('answer-1'), there.nextAfter('answer-1')])
  expect(taken.map((item) => item?.text)).toEqual(['one', undefined])
  // A message being sent is hidden, and no tab takes the next one until it arrives.
  expect(textsOf(there)).toEqual(['two'])
  expect(await there.nextAfter('answer-2')).toBeUndefined()
  here.markArrived([taken[0]?.id ?? ''])
  expect(await here.nextAfter('answer-1')).toBeUndefined()
  const second = await Promise.all([there.nextAfter('answer-2'), here.nextAfter('answer-2')])
  expect(second.map((item) => item?.text)).toEqual(['two', undefined])
})

test('held messages are sent only by the user', async () => {
  const queue = createQueue(memoryQueueStorage())
  queue.add('one')
  queue.pause()
  expect(await queue.nextAfter('answer-1')).toBeUndefined()
  expect(await queue.nextNow()).toMatchObject({ text: 'one' })
  expect(queue.getState().held).toBe(false)
})

test('a message that could not be sent is the first again, and so is one whose tab died', async () => {
  let now = 1000
  const place = memoryQueueStorage(() => now)
  const queue = createQueue(place)
  queue.add('one')
  queue.add('two')
  const taken = await queue.nextAfter('answer-1')
  queue.requeue(taken?.id ?? '')
  expect(textsOf(queue)).toEqual(['one', 'two'])
  expect(await queue.nextAfter('answer-2')).toMatchObject({ id: taken?.id })
  now += 61_000
  const later = createQueue(place.tab())
  expect(textsOf(later)).toEqual(['one', 'two'])
  expect(await later.nextAfter('answer-3')).toMatchObject({ id: taken?.id })
})

test('an invalid queue is empty', () => {
  for (const text of ['{', '[]', '{"items":1}', '{"items":[{"id":1}]}']) {
    const place = memoryQueueStorage()
    place.write(text)
    expect(createQueue(place.tab()).getState()).toMatchObject({ items: [], held: false })
  }
})
