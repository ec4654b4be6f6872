import { expect, test } from 'vitest'
import { keyFrom, readAddress, writeAddress } from './address.ts'

test('the address carries a key, a session, or both', () => {
  expect(readAddress('#k=abc')).toEqual({ key: 'abc', sessionId: null })
  expect(readAddress('#k=abc&s=s1')).toEqual({ key: 'abc', sessionId: 's1' })
  expect(readAddress(writeAddress('s_1-x'))).toEqual({ key: null, sessionId: 's_1-x' })
  expect(readAddress(writeAddress(null))).toEqual({ key: null, sessionId: null })
})

test('a session id that the server would refuse is not an id', () => {
  expect(readAddress('#s=../x').sessionId).toBeNull()
})

test('a pasted address gives its key, a pasted key itself', () => {
  expect(keyFrom(' http://127.0.0.1:4880/#k=abc ')).toBe('abc')
  expect(keyFrom('abc')).toBe('abc')
  expect(keyFrom('http://127.0.0.1:4880/#s=1')).toBeNull()
})
