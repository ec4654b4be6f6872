import { expect, test } from 'vitest'
import { sumByKind } from './context-dialog.tsx'

test('kinds are summed in the order of the request; missing ones are omitted', () => {
  const kinds = sumByKind([
    { kind: 'message', name: 'user: hi', tokens: 5 },
    { kind: 'tool', name: 'Read', tokens: 10 },
    { kind: 'tool', name: 'Bash', tokens: 20 },
    { kind: 'instructions', name: 'environment', tokens: 7 },
  ])
  expect(kinds).toEqual([
    { kind: 'tool', label: 'Tools', count: 2, tokens: 30 },
    { kind: 'instructions', label: 'Instructions', count: 1, tokens: 7 },
    { kind: 'message', label: 'Messages', count: 1, tokens: 5 },
  ])
})
