import { expect, it } from 'vitest'
import { addUsage, costOf, toUsage } from './check-answer.ts'

const usage = toUsage({
  inputTokens: { total: 1000, noCache: 100, cacheRead: 700, cacheWrite: 200 },
  outputTokens: { total: 50, text: 50, reasoning: 0 },
})

it('cache reads and writes have their own prices', () => {
  const price = { input: 4, output: 20, cachedInput: 0.4, cacheWrite: 5 }
  expect(costOf(usage, price)).toBeCloseTo((100 * 4 + 700 * 0.4 + 200 * 5 + 50 * 20) / 1e6, 12)
  expect(costOf(addUsage(usage, usage), price)).toBeCloseTo(2 * (costOf(usage, price) as number), 12)
})

it('without cache prices, they cost as much as input', () => {
  expect(costOf(usage, { input: 4, output: 20 })).toBeCloseTo((1000 * 4 + 50 * 20) / 1e6, 12)
  expect(costOf(usage, undefined)).toBeUndefined()
})
