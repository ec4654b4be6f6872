import { expect, test } from 'vitest'
import { toShown } from './to-shown.ts'

test('functions are shown by the names they go by, maps and sets by what they hold', () => {
  const s = () => undefined
  const shown = toShown({ send: s, agents: new Map([['a1', { name: 'explore' }]]), busy: new Set(['a1']) }, 0)
  expect(shown).toBe('{"send":"ƒ send()","agents":{"a1":{"name":"explore"}},"busy":["a1"]}')
  expect(toShown(undefined)).toBe('undefined')
})
