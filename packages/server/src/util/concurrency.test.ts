import { expect, it } from 'vitest'
import { createKeyedMutex } from './concurrency.ts'

it('tasks with one key run in order, others in parallel, and a failure blocks nothing', async () => {
  const lock = createKeyedMutex()
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = lock('a', async () => {
    await gate.promise
    order.push('first')
    throw new Error('broken')
  })
  const second = lock('a', () => Promise.resolve(order.push('second')))
  await lock('b', () => Promise.resolve(order.push('other')))
  expect(order).toEqual(['other'])
  gate.resolve()
  await expect(first).rejects.toThrow('broken')
  await second
  expect(order).toEqual(['other', 'first', 'second'])
})
