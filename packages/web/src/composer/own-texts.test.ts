import { expect, test } from 'vitest'
import { message } from '../testing/fake-server.ts'
import { sentTexts } from './use-composer-input.ts'

test('the user’s texts are listed newest first, each once', () => {
  const messages = [
    message('1', 'user', 'first', null),
    message('2', 'assistant', 'an answer', '1'),
    message('3', 'user', 'again', '2'),
    message('4', 'user', ' ', '3'),
    message('5', 'user', 'first', '4'),
  ]
  expect(sentTexts(messages)).toEqual(['first', 'again'])
})
