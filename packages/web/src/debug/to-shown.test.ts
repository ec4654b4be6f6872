import { expect, test } from 'vitest'
import { toDebugText } from './debug-view.tsx'

test('functions are shown by name, maps and sets by their contents', () => {
  const s = () => undefined
  const shown = toDebugText({ send: s, agents: new Map([['a1', { name: 'explore' }]]), busy: new Set(['a1']) }, 0)
  expect(shown).toBe('{"send":"ƒ send()","agents":{"a1":{"name":"explore"}},"busy":["a1"]}')
  expect(toDebugText(undefined)).toBe('undefined')
})
