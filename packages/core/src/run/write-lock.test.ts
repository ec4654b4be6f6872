import { expect, it } from 'vitest'
import { createWriteLock } from './tree-state.ts'

const never = new AbortController().signal

it('runs one piece of work after the other, in the order they came', async () => {
  const lock = createWriteLock()
  const events: string[] = []
  const work = (name: string) => async (): Promise<string> => {
    events.push(`+${name}`)
    await new Promise((resolve) => setImmediate(resolve))
    events.push(`-${name}`)
    return name
  }
  expect(await Promise.all(['a', 'b', 'c'].map((name) => lock.run(work(name), never)))).toEqual(['a', 'b', 'c'])
  expect(events.join(' ')).toBe('+a -a +b -b +c -c')
})

it('continues after a failed task', async () => {
  const lock = createWriteLock()
  await expect(lock.run(() => Promise.reject(new Error('no')), never)).rejects.toThrow('no')
  expect(await lock.run(() => Promise.resolve('yes'), never)).toBe('yes')
})

it('drops a stopped waiter, and keeps the order of the others', async () => {
  const lock = createWriteLock()
  const events: string[] = []
  const held = Promise.withResolvers<void>()
  const first = lock.run(async () => {
    events.push('+a')
    await held.promise
    events.push('-a')
  }, never)
  const controller = new AbortController()
  const second = lock.run(() => Promise.resolve(events.push('b')), controller.signal)
  const third = lock.run(() => Promise.resolve(events.push('c')), never)
  controller.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  expect(events).toEqual(['+a'])
  held.resolve()
  await Promise.all([first, third])
  expect(events).toEqual(['+a', '-a', 'c'])
  await expect(lock.run(() => Promise.resolve(events.push('d')), controller.signal)).rejects.toThrow('stopped')
})
