import { expect, test } from 'vitest'
import { readFrameMessage } from './preview-frame.tsx'

test('valid messages of a frame are read, without extra fields', () => {
  expect(readFrameMessage({ type: 'ready', token: 'x' })).toEqual({ type: 'ready' })
  expect(readFrameMessage({ type: 'height', height: 120.5 })).toEqual({ type: 'height', height: 120.5 })
  expect(readFrameMessage({ type: 'error', text: 'x is not defined' })).toEqual({
    type: 'error',
    text: 'x is not defined',
  })
  expect(readFrameMessage({ type: 'answer', id: 2, value: 'data:', more: 1 })).toEqual({
    type: 'answer',
    id: 2,
    value: 'data:',
  })
})

test('a selection and a link are read within bounds', () => {
  expect(readFrameMessage({ type: 'picked', tag: 'h1', text: 'Hi', html: '<x>' })).toEqual({
    type: 'picked',
    picked: { tag: 'h1', text: 'Hi' },
  })
  expect(readFrameMessage({ type: 'link', href: 'https://a.example/' })).toEqual({
    type: 'link',
    href: 'https://a.example/',
  })
})

test.each([
  { type: 'picked', tag: 'h1' },
  { type: 'picked', tag: '<b>', text: 'x' },
  { type: 'picked', tag: 'b', text: 'x'.repeat(2001) },
  { type: 'link', href: 'javascript:alert(1)' },
  { type: 'link', href: 'file:///etc/passwd' },
  { type: 'link', href: `https://a.example/${'x'.repeat(2000)}` },
  null,
  'ready',
  [{ type: 'ready' }],
  { type: 'show' },
  { type: 'height', height: '9' },
  { type: 'height', height: Number.NaN },
  { type: 'height', height: -1 },
  { type: 'height', height: 1e9 },
  { type: 'blocked', count: Infinity },
  { type: 'error', text: { text: 'x' } },
  { type: 'error', text: 'x'.repeat(501) },
  { type: 'answer', id: '1', value: 'x' },
  { type: 'answer', id: 1, value: ['x'] },
  { type: 'answer', id: 1, value: 'x'.repeat(20_000_001) },
])('other messages are ignored: %#', (data) => {
  expect(readFrameMessage(data)).toBeUndefined()
})
