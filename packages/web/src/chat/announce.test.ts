import type { Message, StoredMessage } from '@troupe/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { message } from '../testing/fake-server.ts'
import { announce } from './announce.ts'
import { emptySession, newRun, type SessionState, withAnswer, withRunEnded } from './session/session-state.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const asked = (...ids: string[]): Message['parts'] =>
  ids.map((id) => ({
    type: 'tool-Bash',
    toolCallId: id,
    state: 'approval-requested',
    input: {},
    approval: { id: `ask-${id}` },
  }))

function open() {
  const said: string[] = []
  const store = createStore<SessionState>(() => emptySession('s1', 'ready'))
  const stop = announce(store, (text) => said.push(text))
  const change = (next: (state: SessionState) => SessionState) => store.setState(next, true)
  return {
    said,
    stop,
    begin: () => change((state) => ({ ...state, messages: [message('u1', 'user', 'hi', null)], run: newRun('u1', 0) })),
    write: (id: string, parts: Message['parts'] = []) =>
      change((state) => withAnswer(state, { id, role: 'assistant', parts }, {})),
    end: (metadata: StoredMessage['metadata']) => {
      change((state) => withRunEnded(state))
      const stored = { ...(store.getState().messages.at(-1) as StoredMessage), metadata: metadata ?? {} }
      change((state) => ({ ...state, messages: [stored] }))
    },
  }
}

test('an answer is announced when it begins and when it ends, once each', () => {
  const session = open()
  session.begin()
  session.write('a1')
  for (let n = 0; n < 20; n++) {
    vi.advanceTimersByTime(100)
    session.write('a1', [{ type: 'text', text: 'word '.repeat(n) }])
  }
  expect(session.said).toEqual(['Writing an answer'])
  session.end({ aborted: true })
  vi.advanceTimersByTime(5000)
  expect(session.said).toEqual(['Writing an answer', 'Answer stopped.'])
})

test('for a quick answer, only the end is announced', () => {
  const session = open()
  session.begin()
  session.write('a1', [{ type: 'text', text: 'Hello' }])
  session.end({ elapsedMs: 90 })
  vi.advanceTimersByTime(5000)
  expect(session.said).toEqual(['Answer finished. Hello'])
})

test('the end of a command is announced without a duration', () => {
  const session = open()
  session.begin()
  session.write('a1', [{ type: 'text', text: 'There is nothing to undo.' }])
  vi.advanceTimersByTime(800)
  session.end({ createdAt: 1, finishReason: 'stop' })
  expect(session.said).toEqual(['Writing an answer', 'Answer finished. There is nothing to undo.'])
})

test('every new ask of a run is announced once', () => {
  const session = open()
  session.begin()
  session.write('a1', asked('c1'))
  session.write('a1', [...asked('c1'), { type: 'text', text: 'and' }])
  expect(session.said).toEqual(['A tool call needs your approval.'])
  // The first call was approved, and the next one announces the same text.
  session.write('a1', asked('c2'))
  session.write('a1', asked('c2', 'c3'))
  session.write('a1', asked('c3'))
  session.write('a1', [])
  vi.advanceTimersByTime(5000)
  expect(session.said.slice(1)).toEqual(['A tool call needs your approval.', '2 tool calls need your approval.'])
})

test('two stopped answers are both announced, and later no listener remains', () => {
  const session = open()
  for (const id of ['a1', 'a2']) {
    session.begin()
    session.write(id)
    session.end({ aborted: true })
  }
  expect(session.said).toEqual(['Answer stopped.', 'Answer stopped.'])
  session.begin()
  session.write('a3')
  session.stop()
  vi.advanceTimersByTime(5000)
  session.end({ aborted: true })
  expect(session.said).toHaveLength(2)
})
