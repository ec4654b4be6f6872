import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolCallPart } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { strictProblems } from './strict-provider.ts'

const user: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'hi' }] }
const answer: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'yes' }] }
const callPart = (toolCallId = 'c1', more: object = {}): LanguageModelV4ToolCallPart => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'Read',
  input: {},
  ...more,
})
const call = (toolCallId?: string, more?: object): LanguageModelV4Message => ({
  role: 'assistant',
  content: [callPart(toolCallId, more)],
})
const result = (toolCallId = 'c1', more: object = {}): LanguageModelV4Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'Read', output: { type: 'text', value: 'x' }, ...more }],
})

it.each<[string, LanguageModelV4Prompt]>([
  ['a question', [user]],
  ['a conversation with instructions', [{ role: 'system', content: 'Be kind.' }, user, answer, user]],
  ['a call with its result', [user, call(), result()]],
  [
    'results in two messages',
    [user, { role: 'assistant', content: [callPart('a'), callPart('b')] }, result('b'), result('a'), user],
  ],
])('a strict provider accepts %s', (_, prompt) => {
  expect(strictProblems(prompt)).toEqual([])
})

it.each<[string, LanguageModelV4Prompt, string]>([
  ['nothing', [], 'no messages'],
  ['an answer first', [answer, user], 'the conversation begins with assistant'],
  ['an answer last', [user, answer], 'the conversation ends with assistant'],
  ['two questions in a row', [user, user], 'user follows user'],
  ['instructions in the middle', [user, { role: 'system', content: 'x' }], 'a system message that is not the first'],
  ['blank instructions', [{ role: 'system', content: ' ' }, user], 'messages[0]: blank'],
  ['a call without result', [user, call(), user], 'the call c1 has no result behind it'],
  ['a call at the end', [user, call()], 'the call c1 has no result at all'],
  ['a result without call', [user, answer, result()], 'the result c1 has no call before it'],
  ['a result that comes later', [user, call(), user, answer, result()], 'the result c1 has no call before it'],
  ['two results', [user, call(), result(), result()], 'the result c1 has no call before it'],
  ['an id used twice', [user, call(), result(), call(), result()], 'the id c1 is used twice'],
  ['another name', [user, call(), result('c1', { toolName: 'Write' })], 'the result c1 has another name'],
  ['an illegal id', [user, call('a b'), result('a b')], 'messages[1].content[0]: illegal id "a b"'],
  [
    'an illegal name',
    [user, call('c1', { toolName: 'ü' }), result('c1', { toolName: 'ü' })],
    'messages[1].content[0]: illegal name "ü"',
  ],
  ['a string as input', [user, call('c1', { input: 'ls' }), result()], 'messages[1].content[0]: input is no object'],
  [
    'an own call without result',
    [user, call('c1', { providerExecuted: true }), user],
    "the provider's own call c1 has no result",
  ],
  [
    'an error without a word',
    [user, call(), result('c1', { output: { type: 'error-text', value: '\n' } })],
    'messages[2].content[0]: blank error',
  ],
  ['no content', [{ role: 'user', content: [] }], 'messages[0]: no content'],
  ['a blank text', [{ role: 'user', content: [{ type: 'text', text: '\n' }] }], 'messages[0].content[0]: blank text'],
  [
    'cut reasoning',
    [user, { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] }, user],
    'messages[1]: nothing follows the reasoning',
  ],
  [
    'half a character',
    [{ role: 'user', content: [{ type: 'text', text: 'a\ud83d' }] }],
    'messages[0].content[0].text: half a character',
  ],
  ['no JSON', [user, call('c1', { input: { a: undefined } }), result()], 'messages[1].content[0].input.a: undefined'],
  [
    'a file of this machine',
    [
      {
        role: 'user',
        content: [{ type: 'file', mediaType: 'text/plain', data: { type: 'url', url: new URL('file:///a') } }],
      },
    ],
    'messages[0].content[0]: a file at file:',
  ],
  [
    'no base64',
    [{ role: 'user', content: [{ type: 'file', mediaType: 'a', data: { type: 'data', data: '!' } }] }],
    'messages[0].content[0]: no base64',
  ],
])('a strict provider refuses %s', (_, prompt, problem) => {
  expect(strictProblems(prompt)).toContain(problem)
})
