import { expect, test } from 'vitest'
import { withPaths } from './path-lock.ts'

test('who shares a path waits, who does not goes on, and nobody waits in a circle', async () => {
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = withPaths(['/b', '/a'], async () => {
    order.push('first')
    await gate.promise
    order.push('first ends')
  })
  const second = withPaths(['/a', '/b'], () => Promise.resolve(void order.push('second')))
  await withPaths(['/c'], () => Promise.resolve(void order.push('other')))
  expect(order.toSorted()).toEqual(['first', 'other'])
  gate.resolve()
  await Promise.all([first, second])
  expect(order.slice(2)).toEqual(['first ends', 'second'])
})

test('one that fails lets the next go on', async () => {
  await expect(withPaths(['/x'], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await withPaths(['/x', '/x'], () => Promise.resolve('fine'))).toBe('fine')
})
