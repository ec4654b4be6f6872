import { expect, test } from 'vitest'
import { shortcuts } from './shortcuts.ts'

test('each shortcut exists once, and no two use the same keys', () => {
  const ids = shortcuts.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
  const keys = shortcuts.filter(({ run }) => run !== undefined).map((shortcut) => shortcut.keys)
  expect(keys).toEqual([...new Set(keys)])
})
