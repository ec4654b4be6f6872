import { expect, test } from 'vitest'
import type { OutlineNode } from '../tool/tool.ts'
import { findElements, outlineOf, showOutline } from './outline.ts'

const outline: OutlineNode[] = [
  {
    role: 'generic',
    ref: 'e1',
    active: true,
    children: [
      { role: 'heading', name: 'Sign in', level: 1, ref: 'e2' },
      {
        role: 'form',
        name: 'Your account',
        ref: 'e3',
        children: [
          'Name',
          { role: 'textbox', name: 'Name', ref: 'e4', text: 'Ada\nLovelace', placeholder: 'Full name' },
          { role: 'checkbox', name: 'Stay signed in', checked: true, ref: 'e5' },
          { role: 'button', name: 'Sign in', disabled: true, ref: 'e6' },
        ],
      },
      { role: 'generic', ref: 'e7', cursor: 'pointer', text: 'Sign in with a key' },
      { role: 'link', name: 'Help', ref: 'e8', url: 'https://example.com/help' },
    ],
  },
]

test('an outline is shown without the boxes around, with states, refs, addresses and values', () => {
  expect(showOutline(outline, 10_000)).toEqual({
    elements: 7,
    text: `- heading "Sign in" [level=1] [ref=e2]
- form "Your account" [ref=e3]
  - text: Name
  - textbox "Name" [ref=e4]: Ada Lovelace
  - checkbox "Stay signed in" [checked] [ref=e5]
  - button "Sign in" [disabled] [ref=e6]
- generic [ref=e7]: Sign in with a key
- link "Help" [ref=e8] -> https://example.com/help`,
  })
})

test('omitted elements are counted', () => {
  const { text } = showOutline(outline, 100)
  expect(text).toMatch(/^- heading .*\n- form .*\n {2}- text: Name\n\[5 more lines\. Use "ref"/)
  const long = showOutline([{ role: 'paragraph', text: 'x'.repeat(5000) }], 10_000)
  expect(long.text.length).toBeLessThan(400)
})

test('an element is found by its ref, at any depth', () => {
  expect(outlineOf(outline, 'e5')).toMatchObject({ name: 'Stay signed in' })
  expect(outlineOf(outline, 'e99')).toBeUndefined()
})

test('elements are found by words, role or both; exact matches come first', () => {
  const refs = (words: string, role?: string) => findElements(outline, { words, role }).map(({ ref }) => ref)
  expect(refs('sign in')).toEqual(['e2', 'e6', 'e5', 'e7'])
  expect(refs('IN sign', 'button')).toEqual(['e6'])
  expect(refs('', 'Textbox')).toEqual(['e4'])
  expect(refs('full')).toEqual(['e4'])
  expect(refs('nothing like it')).toEqual([])
  expect(findElements(outline, { words: '', role: 'button' })).toEqual([
    { ref: 'e6', text: 'button "Sign in" [disabled] [ref=e6]', within: 'Your account' },
  ])
})
