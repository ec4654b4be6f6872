import { validateUIMessages } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCutLog } from '../testing/arbitrary-log.ts'
import { patience, runs } from '../testing/test-effort.ts'
import { cleanMessage, foldChunks, interruptedText } from './fold.ts'
import type { Message, Part } from './message.ts'

const call = { type: 'tool-Read', toolCallId: 'c1', input: { path: 'a' } }
const asked = { id: 'ask-1', requestReason: 'writes' }
const granted = { ...asked, approved: true }
const refused = { ...asked, approved: false, reason: 'no' }
const gone = undefined

/** Expected part after the run ended, and while it waits (equal if only one is given). */
const cases: [rule: string, part: object, ended: object | undefined, waiting?: object | undefined][] = [
  [
    'a text left streaming is done',
    { type: 'text', text: 'a', state: 'streaming' },
    { type: 'text', text: 'a', state: 'done' },
  ],
  [
    'reasoning left streaming is done',
    { type: 'reasoning', id: '0', text: 'a', state: 'streaming' },
    { type: 'reasoning', id: '0', text: 'a', state: 'done' },
  ],
  ['an empty text is dropped', { type: 'text', text: '', state: 'streaming' }, gone],
  [
    'an empty text with provider metadata stays',
    { type: 'reasoning', id: '0', text: '', state: 'done', providerMetadata: { openai: { itemId: 'r' } } },
    { type: 'reasoning', id: '0', text: '', state: 'done', providerMetadata: { openai: { itemId: 'r' } } },
  ],
  ['a transient part is dropped', { type: 'data-note', data: 1, transient: true }, gone],
  ['a stored data part stays', { type: 'data-note', id: 'x', data: 1 }, { type: 'data-note', id: 'x', data: 1 }],
  [
    'a file stays',
    { type: 'file', url: '/ai/blobs/x', mediaType: 'image/png' },
    { type: 'file', url: '/ai/blobs/x', mediaType: 'image/png' },
  ],
  ['a call whose input never came is dropped', { type: 'tool-Read', toolCallId: 'c1', state: 'input-streaming' }, gone],
  [
    'a call whose input was cut is dropped, however much can be read of it',
    { ...call, state: 'input-streaming', rawInput: '{"path":"a"' },
    gone,
  ],
  [
    'a text-encoded input cannot be known to be whole',
    { ...call, input: 'ls', state: 'input-streaming', rawInput: 'ls', inputEncoding: 'text' },
    gone,
  ],
  [
    'a call whose input happens to be whole is kept',
    { ...call, state: 'input-streaming', rawInput: '{"path":"a"}', inputEncoding: 'json' },
    { ...call, state: 'output-error', errorText: interruptedText },
    { ...call, state: 'input-available' },
  ],
  [
    'a call without a result was interrupted',
    { ...call, state: 'input-available' },
    { ...call, state: 'output-error', errorText: interruptedText },
    { ...call, state: 'input-available' },
  ],
  [
    'an unanswered approval stays open while the run waits and is lost when it has ended',
    { ...call, state: 'approval-requested', approval: asked },
    { ...call, state: 'output-error', errorText: interruptedText },
    { ...call, state: 'approval-requested', approval: asked },
  ],
  [
    'a granted call that never ran was interrupted and keeps its approval',
    { ...call, state: 'approval-responded', approval: granted },
    { ...call, state: 'output-error', errorText: interruptedText, approval: granted },
    { ...call, state: 'approval-responded', approval: granted },
  ],
  [
    'a refused call is denied',
    { ...call, state: 'approval-responded', approval: refused },
    { ...call, state: 'output-denied', approval: refused },
  ],
  [
    'a denied call stays denied',
    { ...call, state: 'output-denied', approval: refused },
    { ...call, state: 'output-denied', approval: refused },
  ],
  [
    'a denied call of which nobody was asked gets an approval that says so',
    { ...call, state: 'output-denied' },
    { ...call, state: 'output-denied', approval: { id: 'c1', approved: false } },
  ],
  [
    'a refused call with a result is denied, and the result is not kept',
    { ...call, state: 'output-available', output: 1, approval: refused },
    { ...call, state: 'output-denied', approval: refused },
  ],
  [
    'a refused call with an error is denied',
    { ...call, state: 'output-error', errorText: 'x', approval: refused, resultProviderMetadata: { a: {} } },
    { ...call, state: 'output-denied', approval: refused },
  ],
  [
    'a result loses an approval that nobody answered',
    { ...call, state: 'output-available', output: 1, approval: asked },
    { ...call, state: 'output-available', output: 1 },
  ],
  [
    'an error loses an approval that nobody answered and keeps its true text',
    { ...call, state: 'output-error', errorText: 'ENOENT: a', approval: asked },
    { ...call, state: 'output-error', errorText: 'ENOENT: a' },
  ],
  [
    'a result keeps the approval it was given',
    { ...call, state: 'output-available', output: 1, approval: granted },
    { ...call, state: 'output-available', output: 1, approval: granted },
  ],
  [
    'preliminary output of an ended run is an error',
    { ...call, state: 'output-available', output: 'half', preliminary: true, resultProviderMetadata: { a: {} } },
    { ...call, state: 'output-error', errorText: interruptedText },
    { ...call, state: 'output-available', output: 'half', preliminary: true, resultProviderMetadata: { a: {} } },
  ],
  [
    'a result without a call input or an output gets empty ones',
    { type: 'tool-Read', toolCallId: 'c1', state: 'output-available' },
    { type: 'tool-Read', toolCallId: 'c1', state: 'output-available', input: {}, output: null },
  ],
  ['a data part without data gets none that JSON can tell', { type: 'data-note' }, { type: 'data-note', data: null }],
  [
    'an error keeps the raw input where there is no other',
    { type: 'tool-Read', toolCallId: 'c1', state: 'output-error', errorText: 'bad', rawInput: '{"pa' },
    { type: 'tool-Read', toolCallId: 'c1', state: 'output-error', errorText: 'bad', input: '{"pa' },
  ],
]

describe('the stored message', () => {
  it.each(cases)('%s', (_, part, ended, ...rest) => {
    const waiting = rest.length === 0 ? ended : rest[0]
    expect(clean(part, 'ended')).toEqual(ended === undefined ? [] : [ended])
    expect(clean(part, 'waiting')).toEqual(waiting === undefined ? [] : [waiting])
  })

  it('has the given text for an interrupted call', () => {
    const message: Message = { id: 'm', role: 'assistant', parts: [{ ...call, state: 'input-available' } as Part] }
    const cleaned = cleanMessage(message, { run: 'ended', interruption: 'The power went.' })
    expect(cleaned.parts).toEqual([{ ...call, state: 'output-error', errorText: 'The power went.' }])
  })

  it('keeps id, role and metadata, and does not change its input', () => {
    const metadata = { model: 'acme/large', interrupted: true } as const
    const message: Message = {
      id: 'm',
      role: 'assistant',
      metadata,
      parts: [{ type: 'text', text: 'a', state: 'streaming' }],
    }
    const before = structuredClone(message)
    expect(cleanMessage(message, { run: 'ended' })).toMatchObject({ id: 'm', role: 'assistant', metadata })
    expect(message).toEqual(before)
  })

  it('passes the AI SDK’s validation, for any log cut anywhere', { timeout: patience }, async () => {
    await fc.assert(
      fc.asyncProperty(anyCutLog, fc.constantFrom('ended' as const, 'waiting' as const), async (log, run) => {
        const cleaned = cleanMessage(foldChunks(log), { run })
        await expect(validateUIMessages({ messages: [JSON.parse(JSON.stringify(cleaned))] })).resolves.toHaveLength(1)
      }),
      runs(300),
    )
  })

  it('does not change when it is cleaned again, nor by having waited before', { timeout: patience }, () => {
    fc.assert(
      fc.property(anyCutLog, (log) => {
        const message = foldChunks(log)
        const ended = cleanMessage(message, { run: 'ended' })
        const waiting = cleanMessage(message, { run: 'waiting' })
        expect(cleanMessage(ended, { run: 'ended' })).toEqual(ended)
        expect(cleanMessage(ended, { run: 'waiting' })).toEqual(ended)
        expect(cleanMessage(waiting, { run: 'waiting' })).toEqual(waiting)
        expect(cleanMessage(waiting, { run: 'ended' })).toEqual(ended)
      }),
      runs(300),
    )
  })
})

function clean(part: object, run: 'ended' | 'waiting'): Part[] {
  return cleanMessage({ id: 'm', role: 'assistant', parts: [part as Part] }, { run }).parts
}
