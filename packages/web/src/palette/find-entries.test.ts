import { expect, test } from 'vitest'
import { findEntries, type PaletteEntry } from './entries.ts'

const entry = (group: PaletteEntry['group'], id: string, title: string, words = '', isFirst = true): PaletteEntry => ({
  id,
  group,
  title,
  detail: '',
  words,
  isFirst,
  run: () => undefined,
})
const entries = [
  entry('commands', 'new', 'New chat'),
  entry('commands', 'dark', 'Dark', 'theme'),
  entry('choices', 'model', 'Model: Dark', '', false),
  entry('sessions', 's1', 'A garden'),
  entry('sessions', 's2', 'New theme for the garden'),
  entry('messages', 'm1', 'found by the server', '', false),
  entry('settings', 'appearance', 'Appearance'),
  entry('settings', 'theme', 'Light or dark', 'theme', false),
]
const found = (query: string) => findEntries(entries, query).map(({ id }) => id)

test('without words there are commands, the newest sessions and the sections of the settings', () => {
  expect(found(' ')).toEqual(['new', 'dark', 's1', 's2', 'appearance'])
})

test('words match in every group, and server results stay', () => {
  expect(found('theme')).toEqual(['dark', 's2', 'm1', 'theme'])
  expect(found('new garden')).toEqual(['s2', 'm1'])
  expect(found('model:')).toEqual(['model', 'm1'])
})
