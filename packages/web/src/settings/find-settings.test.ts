import { expect, test } from 'vitest'
import { findSettings, searchable } from './section.ts'

const all = [
  ...searchable({ id: 'models', title: 'Models and keys', words: 'provider api' }, [
    { id: 'new', title: 'Another provider, by its address', words: 'base url' },
    { id: 'provider-anthropic', title: 'Anthropic', words: 'key' },
  ]),
  ...searchable({ id: 'appearance', title: 'Appearance', words: '' }, [
    { id: 'theme', title: 'Light or dark', words: 'theme night' },
    { id: 'contrast', title: 'High contrast' },
  ]),
  ...searchable({ id: 'language', title: '语言', words: 'language' }, []),
]
const found = (query: string) => findSettings(all, query).map(({ at }) => at)

test('sections and settings are found by title and other words', () => {
  expect(found('contrast')).toEqual(['appearance/contrast'])
  expect(found('NIGHT')).toEqual(['appearance/theme'])
  expect(found('语')).toEqual(['language'])
  expect(found('nothing like that')).toEqual([])
  expect(found('  ')).toEqual([])
})

test('all words must match, in any order', () => {
  expect(found('anthropic key')).toEqual(['models/provider-anthropic'])
  expect(found('appearance dark')).toEqual(['appearance/theme'])
  expect(found('dark key')).toEqual([])
})

test('prefix matches come before other matches', () => {
  expect(found('a')[0]).toBe('models/new')
  expect(found('keys')[0]).toBe('models')
  expect(found('and')).toEqual(['models', 'models/new', 'models/provider-anthropic'])
  expect(found('provider')).toEqual(['models/new', 'models'])
})
