import type { UIMessage } from 'ai'
import type { ScriptItem, ScriptTurn } from '../src/testing/script.ts'

/** Intended differences in a conversation, explained in `run/differential.test.ts`. */
export type Intended = 'texts' | 'input' | 'approvals'

export interface Conversation {
  turns: ScriptTurn[]
  intended?: Intended[]
  history?: UIMessage[]
  steering?: Record<number, string>
  /** Answers to the approvals of `Note`, in order: approved, or the remark of a refusal. */
  answers?: (true | string)[]
}

const call = (name: string, input?: unknown, more: object = {}): ScriptItem => ({ call: { name, input, ...more } })
const signature = { acme: { signature: 'c2lnbmF0dXJl' } }

export const conversations: Record<string, Conversation> = {
  'a plain text': { turns: [[{ text: 'Hello there' }]] },
  'a text in many pieces': { turns: [[{ text: 'one two three four five', chunks: 9 }]] },
  'several text blocks': { turns: [[{ text: 'first' }, { text: 'second' }, { text: 'third' }]] },
  'text of many scripts': { turns: [[{ text: 'naïve 你好 🙂👩‍👩‍👧 \u0000\u2028 العربية', chunks: 7 }]] },
  'an empty answer': { turns: [[]] },
  'an empty text block': { turns: [[{ text: '' }]] },
  'white space only': { turns: [[{ text: '\n\n  ' }]] },
  'text with provider metadata': { turns: [[{ text: 'signed', providerMetadata: signature }]] },
  'blocks that overlap': {
    turns: [
      [
        { part: { type: 'text-start', id: 'a' } },
        { part: { type: 'reasoning-start', id: 'b' } },
        { part: { type: 'text-delta', id: 'a', delta: 'one ' } },
        { part: { type: 'reasoning-delta', id: 'b', delta: 'hm' } },
        { part: { type: 'text-delta', id: 'a', delta: 'two' } },
        { part: { type: 'reasoning-end', id: 'b' } },
        { part: { type: 'text-end', id: 'a' } },
      ],
    ],
  },
  'a block that is never closed': {
    turns: [[{ part: { type: 'text-start', id: 'a' } }, { part: { type: 'text-delta', id: 'a', delta: 'open' } }]],
  },

  'reasoning before text': { turns: [[{ reasoning: 'Let me see', chunks: 3 }, { text: 'Seen' }]] },
  'reasoning with a signature': { turns: [[{ reasoning: 'hm', providerMetadata: signature }, { text: 'ok' }]] },
  'redacted reasoning': { turns: [[{ reasoning: '', providerMetadata: signature }, { text: 'ok' }]] },
  'reasoning only': { turns: [[{ reasoning: 'nothing to say' }]] },
  'reasoning in each step': {
    turns: [
      [{ reasoning: 'first' }, call('Echo', { text: 'x' })],
      [{ reasoning: 'then' }, { text: 'done' }],
    ],
  },

  'one call': { turns: [[call('Add', { a: 1, b: 2 })], [{ text: '3' }]] },
  'a call with text before it': { turns: [[{ text: 'I add. ' }, call('Add', { a: 1, b: 2 })], [{ text: '3' }]] },
  'a call that comes at once': { turns: [[call('Echo', { text: 'x' }, { stream: false })], [{ text: 'ok' }]] },
  'a call whose input comes in pieces': {
    turns: [[call('Echo', { text: 'long 你好 text' }, { chunks: 11 })], [{ text: 'ok' }]],
  },
  'a call with provider metadata': {
    turns: [[call('Echo', { text: 'x' }, { providerMetadata: signature })], [{ text: 'ok' }]],
  },
  'parallel reads': {
    turns: [[call('Add', { a: 1, b: 2 }), call('Echo', { text: 'x' }), call('Add', { a: 3, b: 4 })], [{ text: 'ok' }]],
  },
  'the same call twice in a step': { turns: [[call('List'), call('List')], [{ text: 'ok' }]] },
  'reads and writes mixed': {
    turns: [
      [
        call('Echo', { text: '1' }),
        call('Note', { text: '2' }),
        call('Echo', { text: '3' }),
        call('Note', { text: '4' }),
      ],
      [{ text: 'ok' }],
    ],
  },
  'text between calls': {
    turns: [
      [call('Echo', { text: '1' }), { text: 'and' }, call('Echo', { text: '2' }), { text: 'so' }],
      [{ text: 'ok' }],
    ],
  },
  'many steps': {
    turns: [
      ...Array.from({ length: 8 }, (_, a) => [{ text: `step ${a}` }, call('Add', { a, b: 1 })]),
      [{ text: 'end' }],
    ],
  },
  'a call without input': { turns: [[call('List')], [{ text: 'ok' }]] },
  'an empty input text': { turns: [[call('List', undefined, { rawInput: '' })], [{ text: 'ok' }]] },
  'an answer that is empty after a call': { turns: [[call('Echo', { text: 'x' })], []] },
  'outputs of every kind': {
    turns: [[call('Note', { text: 'n' }), call('Echo', { text: '' }), call('List'), call('Null')], [{ text: 'ok' }]],
  },
  'an input with defaults': { intended: ['input'], turns: [[call('Greet', { loud: true })], [{ text: 'ok' }]] },

  'a tool that throws': { turns: [[call('Fail', { message: 'disk is full' })], [{ text: 'sorry' }]] },
  'a tool that throws among others': {
    turns: [
      [call('Echo', { text: '1' }), call('Fail', { message: 'no' }), call('Note', { text: '2' })],
      [{ text: 'ok' }],
    ],
  },
  'an unknown tool': { intended: ['texts'], turns: [[call('Nothing', { a: 1 })], [{ text: 'sorry' }]] },
  'an unknown tool that comes at once': {
    intended: ['texts'],
    turns: [[call('Nothing', { a: 1 }, { stream: false })], [{ text: 'sorry' }]],
  },
  'input that the schema refuses': { intended: ['texts'], turns: [[call('Add', { a: 'one' })], [{ text: 'sorry' }]] },
  'input that is no object': { intended: ['texts', 'input'], turns: [[call('Add', [1, 2])], [{ text: 'sorry' }]] },
  'malformed input': {
    intended: ['texts', 'input'],
    turns: [[call('Add', undefined, { rawInput: '{"a": 1, "b": ' })], [{ text: 'sorry' }]],
  },
  'malformed input that comes at once': {
    intended: ['texts', 'input'],
    turns: [[call('Add', undefined, { rawInput: '{"a": 1, "b": ', stream: false })], [{ text: 'sorry' }]],
  },
  'bad and good calls in one step': {
    intended: ['texts'],
    turns: [
      [call('Nothing'), call('Echo', { text: 'x' }), call('Add', { a: 1 }), call('Add', { a: 1, b: 1 })],
      [{ text: 'ok' }],
    ],
  },
  'an error and a second try': {
    turns: [[call('Fail', { message: 'first' })], [call('Echo', { text: 'second' })], [{ text: 'third time lucky' }]],
  },

  'a file': { turns: [[{ text: 'look: ' }, { file: { mediaType: 'image/png', data: 'iVBORw0KGgo=' } }]] },
  sources: {
    turns: [
      [
        { source: { url: 'https://example.com/a', title: 'A' } },
        { text: 'see' },
        { source: { mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' } },
        { source: { url: 'https://example.com/c' } },
      ],
    ],
  },
  'a tool of the provider': {
    turns: [
      [
        { part: { type: 'tool-input-start', id: 'p1', toolName: 'web', providerExecuted: true, dynamic: true } },
        { part: { type: 'tool-input-delta', id: 'p1', delta: '{"q":"x"}' } },
        { part: { type: 'tool-input-end', id: 'p1' } },
        {
          part: {
            type: 'tool-call',
            toolCallId: 'p1',
            toolName: 'web',
            input: '{"q":"x"}',
            providerExecuted: true,
            dynamic: true,
          },
        },
        { part: { type: 'tool-result', toolCallId: 'p1', toolName: 'web', result: { hits: 2 }, dynamic: true } },
        { text: 'two hits' },
      ],
    ],
  },

  'finish reason length': { turns: [[{ text: 'cut off' }, { finish: 'length' }]] },
  'finish reason content-filter': { turns: [[{ text: 'no' }, { finish: 'content-filter' }]] },
  'finish reason length with a whole call': {
    intended: ['texts'],
    turns: [[{ text: 'I' }, call('Note', { text: 'x' }), { finish: 'length' }]],
  },
  'finish reason stop with a call': { turns: [[call('Echo', { text: 'x' }), { finish: 'stop' }], [{ text: 'ok' }]] },
  'an error of the provider before the answer': { turns: [[{ error: { message: 'bad key', statusCode: 401 } }]] },
  'an error of the provider in mid-answer': { turns: [[{ text: 'so far' }, { error: { message: 'overloaded' } }]] },
  'an error of the provider after a step': {
    turns: [[call('Echo', { text: 'x' })], [{ error: { message: 'bad key', statusCode: 401 } }]],
  },
  'a stream that ends too soon': { turns: [[{ text: 'so far' }, { cut: true }]] },

  'a second turn': {
    history: [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'first' }] },
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'tool-Echo', toolCallId: 'e1', state: 'output-available', input: { text: 'x' }, output: 'x' },
          { type: 'step-start' },
          { type: 'text', text: 'done', state: 'done' },
        ],
      },
      { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'second' }] },
    ],
    turns: [[{ text: 'again' }]],
  },
  'a word of the person between two steps': {
    steering: { 0: 'in French, please' },
    turns: [[call('Echo', { text: 'x' })], [{ text: 'voilà' }]],
  },
  'a word of the person during the last step': {
    steering: { 1: 'and in French' },
    turns: [[call('Echo', { text: 'x' })], [{ text: 'there' }], [{ text: 'voilà' }]],
  },
  'a call that is approved': {
    intended: ['approvals'],
    answers: [true],
    turns: [[{ text: 'May I? ' }, call('Note', { text: 'x' })], [{ text: 'done' }]],
  },
  'a call that is refused with a remark': {
    intended: ['approvals'],
    answers: ['not this one'],
    turns: [[call('Note', { text: 'x' })], [{ text: 'as you wish' }]],
  },
  'calls that are approved, refused and not asked about': {
    intended: ['approvals'],
    answers: [true, 'not this one'],
    turns: [[call('Note', { text: '1' }), call('Echo', { text: '2' }), call('Note', { text: '3' })], [{ text: 'ok' }]],
  },
}
