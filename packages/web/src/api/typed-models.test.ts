import { expect, test } from 'vitest'
import { typedModels } from './models.ts'

const providers = [
  { id: 'acme', name: 'Acme' },
  { id: 'router', name: 'Router' },
]
const refs = (typed: string, matches: string[] = []) =>
  typedModels(
    typed,
    providers,
    matches.map((ref) => ({ ref })),
  ).map(({ ref }) => ref)

test('a typed id is offered at each open provider, or at the one it names', () => {
  expect(refs('gpt-4o-mini')).toEqual(['acme/gpt-4o-mini', 'router/gpt-4o-mini'])
  expect(refs(' router/openai/gpt-4o-mini:free ')).toEqual(['router/openai/gpt-4o-mini:free'])
  expect(refs('openai/gpt-4o')).toEqual(['acme/openai/gpt-4o', 'router/openai/gpt-4o'])
  expect(refs('gpt-4o-mini', ['acme/gpt-4o-mini'])).toEqual(['router/gpt-4o-mini'])
})

test.each(['', '  ', 'ab', 'two words', '---', 'a"b"c', '<img>', 'x'.repeat(201), 'line\nbreak'])(
  'what is no id is not offered: %j',
  (typed) => expect(refs(typed)).toEqual([]),
)

test('with many matches, the user searches', () => {
  expect(refs('mini', ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6'])).toEqual([])
})
