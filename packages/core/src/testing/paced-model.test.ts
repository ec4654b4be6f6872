import { expect, test } from 'vitest'
import { pacedModel } from './paced-model.ts'

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }]

test('every stream gives the asked number of deltas of the asked size', async () => {
  const model = pacedModel({ deltas: 50, size: 5 })
  const { stream } = await model.doStream({ prompt })
  const deltas = (await Array.fromAsync(stream)).flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []))
  expect(deltas).toHaveLength(50)
  expect(new Set(deltas.map((delta) => delta.length))).toEqual(new Set([5]))
})

test('streams pause after the given number of deltas and continue on demand', async () => {
  const model = pacedModel({ deltas: 8, pauseAfter: 3 })
  const counts = [0, 0]
  const reading = counts.map(async (_, index) => {
    const { stream } = await model.doStream({ prompt })
    for await (const part of stream) if (part.type === 'text-delta') counts[index] = (counts[index] ?? 0) + 1
  })
  await model.paused(2)
  expect(counts).toEqual([3, 3])
  model.resume()
  await Promise.all(reading)
  expect(counts).toEqual([8, 8])
})

test('a paused stream ends when it is aborted', async () => {
  const stop = new AbortController()
  const model = pacedModel({ deltas: 5, pauseAfter: 1 })
  const { stream } = await model.doStream({ prompt, abortSignal: stop.signal })
  const reading = Array.fromAsync(stream)
  await model.paused(1)
  stop.abort(new Error('stopped'))
  await expect(reading).rejects.toThrow('stopped')
})
