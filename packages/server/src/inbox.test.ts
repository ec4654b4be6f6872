import { describe, expect, it } from 'vitest'
import { NamedError, type Answer, type Ask, type Store } from '@troupe/core'
import { createInbox } from './inbox.ts'

const ask = { id: 'ask_1', kind: 'approval', sessionId: 's1', closedAt: null, answer: null } as unknown as Ask
const never = new AbortController().signal

/** Asks in memory; `opening` is what happens after an ask can be seen and before `open` resolves. */
function asks(opening: () => void | Promise<void> = () => undefined): Pick<Store, 'asks'> {
  const all = new Map<string, Ask>()
  return {
    asks: {
      async open(given: Ask) {
        const known = all.get(given.id)
        if (known === undefined) all.set(given.id, { ...given })
        const seen = { ...(all.get(given.id) as Ask) }
        await opening()
        return seen
      },
      get: (id: string) => Promise.resolve(all.get(id)),
      answer(id: string, answer: Answer) {
        const known = all.get(id) as Ask
        if (known.closedAt !== null) return Promise.reject(new NamedError('AskClosed', 'closed', { status: 409 }))
        Object.assign(known, { answer, closedAt: 1 })
        return Promise.resolve(known)
      },
    },
  } as unknown as Pick<Store, 'asks'>
}

describe('the inbox', () => {
  it('does not miss an answer that comes between the asking and the waiting', async () => {
    const inbox = createInbox(asks(async () => void (await inbox.answer('ask_1', { type: 'approve' }))))
    expect(await inbox.ask(ask, never)).toEqual({ type: 'approve' })
  })

  it('finds an answer that was given while nobody waited, and tells nobody that it waits', async () => {
    const store = asks()
    const before = createInbox(store)
    void before.ask(ask, never)
    await before.answer('ask_1', { type: 'deny', remark: 'no' })
    let opened = false
    expect(await createInbox(store).ask(ask, never, () => void (opened = true))).toEqual({ type: 'deny', remark: 'no' })
    expect(opened).toBe(false)
  })

  it('tells when it waits, and gives the answer to whoever waits', async () => {
    const inbox = createInbox(asks())
    const opened = Promise.withResolvers<void>()
    const waiting = inbox.ask(ask, never, opened.resolve)
    await opened.promise
    await inbox.answer('ask_1', { type: 'approve', data: 1 })
    expect(await waiting).toEqual({ type: 'approve', data: 1 })
    await expect(inbox.answer('ask_1', { type: 'approve' })).rejects.toMatchObject({ name: 'AskClosed' })
  })

  it('stops waiting with the signal, also when that comes while the ask is opened', async () => {
    const controller = new AbortController()
    const inbox = createInbox(asks(() => controller.abort(new Error('stopped'))))
    let opened = false
    await expect(inbox.ask(ask, controller.signal, () => void (opened = true))).rejects.toThrow('stopped')
    expect(opened).toBe(false)
    await expect(createInbox(asks()).ask(ask, controller.signal)).rejects.toThrow('stopped')
  })

  it('refuses an answer of the wrong kind, or to an ask that is not there', async () => {
    const inbox = createInbox(asks())
    void inbox.ask(ask, never)
    await expect(inbox.answer('ask_1', { type: 'answers', answers: {} })).rejects.toMatchObject({
      name: 'WrongAnswer',
      status: 422,
    })
    await expect(inbox.answer('ask_2', { type: 'approve' })).rejects.toMatchObject({ name: 'AskNotFound', status: 404 })
  })
})
