import { expect, test } from 'vitest'
import { toShown } from './to-shown.ts'

test('functions are shown by their names, maps and sets by what they hold', () => {
  const send = () => undefined
  const shown = toShown({ send, agents: new Map([['a1', { name: 'explore' }]]), busy: new Set(['a1']) }, 0)
  expect(shown).toBe('{"send":"ƒ send()","agents":{"a1":{"name":"explore"}},"busy":["a1"]}')
  expect(toShown(undefined)).toBe('undefined')
})
