import { expect, test } from 'vitest'
import { estimateTokens } from './composer.tsx'

test('tokens are estimated by letters, and by characters if each is a word', () => {
  expect(estimateTokens('')).toBe(0)
  expect(estimateTokens('a'.repeat(400))).toBe(100)
  expect(estimateTokens('今天天气很好')).toBe(6)
})
