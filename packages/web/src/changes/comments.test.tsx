import { beforeEach, expect, test } from 'vitest'
import { addComment, readComments, removeComments, withComments } from './comments.ts'

beforeEach(() => localStorage.clear())

const comment = { path: 'src/a.ts', from: 3, to: 4, isOld: false, quote: 'one\ntwo', text: 'Why?' }

test('comments are kept by chat, and survive a reload', () => {
  addComment('s1', comment)
  addComment('s1', { ...comment, text: 'And this?' })
  expect(readComments('s1')).toMatchObject([{ text: 'Why?' }, { text: 'And this?' }])
  expect(readComments('s2')).toEqual([])
  expect(readComments('s1')).toBe(readComments('s1'))
  removeComments('s1', [readComments('s1')[0]!.id])
  expect(readComments('s1')).toMatchObject([{ text: 'And this?' }])
  localStorage.setItem('troupe.comments.s1', '[{"id":5},null')
  expect(readComments('s1')).toEqual([])
})

test('one message has every comment with file, lines and code', () => {
  const own = { ...comment, id: '1' }
  expect(withComments('', [])).toBe('')
  expect(withComments('Please fix.', [own, { ...own, from: 7, to: 7, isOld: true, quote: '```' }])).toBe(
    [
      'Please fix.',
      'Comments on the changes:',
      '**`src/a.ts:3-4`**\n```\none\ntwo\n```\nWhy?',
      '**`src/a.ts:7`** (before the change)\n````\n```\n````\nWhy?',
    ].join('\n\n'),
  )
  expect(withComments('', [{ ...own, path: 'a`b\n\u202Ec' }])).toContain('**`` a`b��c:3-4 ``**')
})
