import { expect, test } from 'vitest'
import { createTypedAddresses } from './drafts.ts'

function openField(draft = '') {
  const typed = createTypedAddresses()
  const put = (text: string, inputType: string): void => {
    const after = draft + text
    typed.note(draft, after, { inputType, caret: after.length })
    draft = after
  }
  return {
    type: (text: string) => Array.from(text, (key) => put(key, 'insertText')),
    paste: (text: string) => put(text, 'insertFromPaste'),
    put,
    erase(count: number) {
      for (let i = 0; i < count; i++) {
        const after = draft.slice(0, -1)
        typed.note(draft, after, { inputType: 'deleteContentBackward', caret: after.length })
        draft = after
      }
    },
    typed: () => typed.in(draft),
  }
}

test('a URL typed key by key counts, in its final form when the message is sent', () => {
  const field = openField()
  field.type('look at https://a.example/x?y=1, and http://b.example')
  expect(field.typed()).toEqual(['https://a.example/x?y=1', 'http://b.example/'])
  field.erase(4)
  expect(field.typed()).toEqual(['https://a.example/x?y=1', 'http://b.exa/'])
})

test('a URL pasted alone counts', () => {
  const field = openField()
  field.type('see ')
  field.paste('https://a.example/x')
  expect(field.typed()).toEqual(['https://a.example/x'])
})

test.each(['insertFromPaste', 'insertFromDrop', 'insertText', 'insertFromYank', '', 'historyRedo'])(
  'a URL in pasted text (%s) does not count, even if it is edited',
  (inputType) => {
    const field = openField()
    field.type('what is this? ')
    field.put('unsubscribe at http://evil.test/unsub', inputType)
    expect(field.typed()).toEqual([])
    field.type('x')
    field.erase(3)
    expect(field.typed()).toEqual([])
  },
)

test('earlier text of the field, and quotes, do not count', () => {
  const field = openField('draft with http://evil.test/a')
  field.type(' and https://a.example')
  expect(field.typed()).toEqual(['https://a.example/'])
  const quoting = openField()
  quoting.type('\n> http://evil.test/a')
  expect(quoting.typed()).toEqual([])
})
