import { expect, test } from 'vitest'
import { parsePartialJson } from '../fold-calls.ts'
import { readUiTree, type UiTree } from './ui-tree.ts'

const tree: UiTree = {
  root: 'card',
  elements: {
    card: { type: 'Card', props: { title: 'Trip' }, children: ['words', 'pick'] },
    words: { type: 'Text', children: ['Where to?'] },
    pick: {
      type: 'Select',
      props: { name: 'where', label: 'Where', options: ['sea', { value: 'm', label: 'Hills' }] },
    },
  },
}

test('elements are nested, with texts in between, and all options are equal', () => {
  expect(readUiTree(tree)).toEqual({
    root: {
      type: 'Card',
      attributes: { title: 'Trip' },
      children: [
        { type: 'Text', attributes: {}, children: ['Where to?'] },
        {
          type: 'Select',
          attributes: {
            name: 'where',
            label: 'Where',
            options: [
              { value: 'sea', label: 'sea' },
              { value: 'm', label: 'Hills' },
            ],
          },
          children: [],
        },
      ],
    },
  })
})

test('while streaming, complete elements are shown and the rest is omitted', () => {
  const text = JSON.stringify(tree)
  let shown = 0
  for (let end = 1; end <= text.length; end += 1) {
    const given = parsePartialJson(text.slice(0, end)) as Partial<UiTree> | undefined
    if (typeof given?.root !== 'string' || given.elements === undefined) continue
    const elements = Object.fromEntries(Object.entries(given.elements).filter(([, one]) => one?.type !== undefined))
    if ('root' in readUiTree({ root: given.root, elements }, { partial: true })) shown += 1
  }
  expect(shown).toBeGreaterThan(text.length / 2)
  expect(readUiTree(tree, { partial: true })).toEqual(readUiTree(tree))
})

const broken: [string, UiTree, string][] = [
  ['an unknown root', { root: 'x', elements: {} }, '"x"'],
  [
    'an element that nothing holds',
    { root: 'a', elements: { a: { type: 'Card' }, b: { type: 'Card' } } },
    '"b" has no parent',
  ],
  [
    'an element that is used twice',
    { root: 'a', elements: { a: { type: 'Card', children: ['b', 'b'] }, b: { type: 'Text' } } },
    'The element "b" is used twice',
  ],
  [
    'children where there can be none',
    { root: 'a', elements: { a: { type: 'Divider', children: ['text'] } } },
    '<Divider> cannot have children',
  ],
  ['a missing attribute', { root: 'a', elements: { a: { type: 'Link' } } }, '<Link> needs "href"'],
  ['an unknown component', { root: 'a', elements: { a: { type: 'script' } } }, 'There is no component <script>'],
]

test.each(broken)('%s is named', (_, given, problem) => {
  expect(readUiTree(given)).toEqual({ problem: expect.stringContaining(problem) as string })
})
