import { expect, test } from 'vitest'
import { readAccessKey, readAddress, writeAddress } from './address.ts'

const none = { sessionId: null, folder: null, settings: null }

test('the address carries a key, a session, or both', () => {
  expect(readAddress('#k=abc')).toEqual({ key: 'abc', sessionId: null, folder: null, settings: null, inbox: false })
  expect(readAddress('#k=abc&s=s1')).toEqual({
    key: 'abc',
    sessionId: 's1',
    folder: null,
    settings: null,
    inbox: false,
  })
  expect(readAddress(writeAddress({ ...none, sessionId: 's_1-x' }))).toEqual({
    key: null,
    sessionId: 's_1-x',
    folder: null,
    settings: null,
    inbox: false,
  })
  expect(readAddress(writeAddress(none))).toEqual({
    key: null,
    sessionId: null,
    folder: null,
    settings: null,
    inbox: false,
  })
})

test('the URL contains the open settings section', () => {
  expect(readAddress('#settings/models').settings).toBe('models')
  expect(readAddress('#settings').settings).toBe('')
  expect(readAddress('#s=settings').settings).toBeNull()
  const at = 'skills/skill a&b=c+d'
  expect(readAddress(writeAddress({ sessionId: 's1', folder: 'w_1', settings: at }))).toEqual({
    key: null,
    sessionId: 's1',
    folder: 'w_1',
    settings: at,
    inbox: false,
  })
})

test('the URL opens the inbox', () => {
  expect(readAddress('#inbox')).toEqual({ key: null, sessionId: null, folder: null, settings: null, inbox: true })
  expect(readAddress('#s=inbox').inbox).toBe(false)
})

test('a session id that the server would refuse is not an id', () => {
  expect(readAddress('#s=../x').sessionId).toBeNull()
  expect(readAddress('#w=/etc').folder).toBeNull()
})

test('a pasted URL gives its key, a pasted key itself', () => {
  expect(readAccessKey(' http://127.0.0.1:4880/#k=abc ')).toBe('abc')
  expect(readAccessKey('abc')).toBe('abc')
  expect(readAccessKey('http://127.0.0.1:4880/#s=1')).toBeNull()
})
