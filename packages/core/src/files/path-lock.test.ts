import { expect, test } from 'vitest'
import { withPathLocks } from './file-transaction.ts'

test('writers of the same path wait, others continue, and there is no deadlock', async () => {
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = withPathLocks(['/b', '/a'], async () => {
    order.push('first')
    await gate.promise
    order.push('first ends')
  })
  const second = withPathLocks(['/a', '/b'], () => Promise.resolve(void order.push('second')))
  await withPathLocks(['/c'], () => Promise.resolve(void order.push('other')))
  expect(order.toSorted()).toEqual(['first', 'other'])
  gate.resolve()
  await Promise.all([first, second])
  expect(order.slice(2)).toEqual(['first ends', 'second'])
})

test('a failure lets the next one continue', async () => {
  await expect(withPathLocks(['/x'], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await withPathLocks(['/x', '/x'], () => Promise.resolve('fine'))).toBe('fine')
})
