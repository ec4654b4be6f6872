import type { Answer } from '@troupe/core'
import { describe, expect, it } from 'vitest'
import { createEarlyAnswers, earlyAnswerTtlMs } from './inbox.ts'

const answer: Answer = { type: 'answers', answers: { status: 'success' } }
const said = { sessionId: 's1', toolCallId: 'c1', client: 'page-1', answer }

describe('early answers', () => {
  it('are found once, by session, call and client', () => {
    const early = createEarlyAnswers()
    early.put(said)
    expect(early.claim({ ...said, sessionId: 's2' })).toBeUndefined()
    expect(early.claim({ ...said, toolCallId: 'c2' })).toBeUndefined()
    expect(early.claim({ ...said, client: 'page-2' })).toBeUndefined()
    expect(early.claim(said)).toEqual(answer)
    expect(early.claim(said)).toBeUndefined()
  })

  it('of any client are found for an ask without a client', () => {
    const early = createEarlyAnswers()
    early.put(said)
    expect(early.claim({ sessionId: 's1', toolCallId: 'c1' })).toEqual(answer)
  })

  it('are kept half a minute', () => {
    let now = 1000
    const early = createEarlyAnswers(() => now)
    early.put(said)
    now += earlyAnswerTtlMs - 1
    expect(early.claim(said)).toEqual(answer)
    early.put(said)
    now += earlyAnswerTtlMs
    expect(early.claim(said)).toBeUndefined()
  })

  it('count: a second one from the same page is rejected until the first is used or expired', () => {
    let now = 1000
    const early = createEarlyAnswers(() => now)
    const other: Answer = { type: 'deny' }
    early.put(said)
    const closed = expect.objectContaining({ name: 'AskClosed', status: 409 }) as Error
    expect(() => early.put({ ...said, answer: other })).toThrow(closed)
    early.put({ ...said, client: 'page-2' })
    expect(early.claim(said)).toEqual(answer)
    early.put(said)
    now += earlyAnswerTtlMs
    early.put({ ...said, answer: other })
    expect(early.claim(said)).toEqual(other)
  })

  it('are few and short; expired ones are removed', () => {
    let now = 1000
    const early = createEarlyAnswers(() => now)
    const large: Answer = { type: 'answers', answers: { output: 'x'.repeat(300_000) } }
    expect(() => early.put({ ...said, answer: large })).toThrow(expect.objectContaining({ status: 413 }))
    for (let i = 0; i < 20; i++) early.put({ ...said, toolCallId: `c${i}` })
    const tooMany = expect.objectContaining({ name: 'TooManyAnswers', status: 429 }) as Error
    expect(() => early.put({ ...said, toolCallId: 'one-more' })).toThrow(tooMany)
    for (let i = 0; i < 180; i++) early.put({ ...said, sessionId: `other${i}` })
    expect(() => early.put({ ...said, sessionId: 'another' })).toThrow(tooMany)
    now += earlyAnswerTtlMs
    early.put({ ...said, sessionId: 'another' })
  })
})
