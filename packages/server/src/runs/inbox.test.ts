import type { Answer, Ask, Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { describe, expect, it } from 'vitest'
import { createInbox } from './inbox.ts'

const ask = {
  id: 'ask_1',
  kind: 'approval',
  sessionId: 's1',
  createdAt: Date.now(),
  closedAt: null,
  answer: null,
} as unknown as Ask
const never = new AbortController().signal

/** In-memory asks. `opening` runs after an ask is visible and before `open` resolves. */
function asks(opening: () => void | Promise<void> = () => undefined): Pick<Store, 'asks' | 'transaction'> {
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
      close(id: string) {
        const known = all.get(id)
        if (known?.closedAt === null) known.closedAt = 1
        return Promise.resolve()
      },
      list: ({ sessionId, open }: { sessionId: string; open?: boolean }) =>
        Promise.resolve(
          [...all.values()].filter(
            (one) => one.sessionId === sessionId && (open === undefined || open === (one.closedAt === null)),
          ),
        ),
    },
  } as unknown as Pick<Store, 'asks' | 'transaction'>
}

describe('the inbox', () => {
  it('does not miss an answer between asking and waiting', async () => {
    const inbox = createInbox(asks(async () => void (await inbox.answer('ask_1', { type: 'approve' }))))
    expect(await inbox.ask(ask, never)).toEqual({ type: 'approve' })
  })

  it('finds an answer from before it waited, and reports no wait', async () => {
    const store = asks()
    const before = createInbox(store)
    void before.ask(ask, never)
    await before.answer('ask_1', { type: 'deny', remark: 'no' })
    let opened = false
    expect(await createInbox(store).ask(ask, never, () => void (opened = true))).toEqual({ type: 'deny', remark: 'no' })
    expect(opened).toBe(false)
  })

  it('reports that it waits, and passes on the answer', async () => {
    const inbox = createInbox(asks())
    const opened = Promise.withResolvers<void>()
    const waiting = inbox.ask(ask, never, opened.resolve)
    await opened.promise
    await inbox.answer('ask_1', { type: 'approve', data: 1 })
    expect(await waiting).toEqual({ type: 'approve', data: 1 })
    await expect(inbox.answer('ask_1', { type: 'approve' })).rejects.toMatchObject({ name: 'AskClosed' })
  })

  it('stops waiting with the signal, even while the ask is opened', async () => {
    const controller = new AbortController()
    const inbox = createInbox(asks(() => controller.abort(new Error('stopped'))))
    let opened = false
    await expect(inbox.ask(ask, controller.signal, () => void (opened = true))).rejects.toThrow('stopped')
    expect(opened).toBe(false)
    await expect(createInbox(asks()).ask(ask, controller.signal)).rejects.toThrow('stopped')
  })

  it('closes an ask withdrawn by an earlier denial, and keeps one at shutdown', async () => {
    const inbox = createInbox(asks())
    const refused = new AbortController()
    const waiting = inbox.ask(ask, refused.signal, () =>
      refused.abort(new NamedError('Refused', 'An earlier one was.')),
    )
    await expect(waiting).rejects.toMatchObject({ name: 'Refused' })
    await expect(inbox.answer('ask_1', { type: 'approve' })).rejects.toMatchObject({ name: 'AskClosed' })

    const going = new AbortController()
    const left = inbox.ask({ ...ask, id: 'ask_2' }, going.signal, () =>
      going.abort(new NamedError('Interrupted', 'gone')),
    )
    await expect(left).rejects.toMatchObject({ name: 'Interrupted' })
    expect(await inbox.answer('ask_2', { type: 'approve' })).toMatchObject({ answer: { type: 'approve' } })
  })

  it('rejects an answer of the wrong kind, or to a missing ask', async () => {
    const inbox = createInbox(asks())
    void inbox.ask(ask, never)
    await expect(inbox.answer('ask_1', { type: 'answers', answers: {} })).rejects.toMatchObject({
      name: 'WrongAnswer',
      status: 422,
    })
    await expect(inbox.answer('ask_2', { type: 'approve' })).rejects.toMatchObject({ name: 'AskNotFound', status: 404 })
  })

  it('lists an ask that is shown but still being opened, and waits briefly', async () => {
    const inbox = createInbox(asks())
    inbox.announce('ask_1')
    inbox.announce('ask_2')
    const listed = inbox.list({ sessionId: 's1' })
    const stopped = new AbortController()
    const asked = inbox.ask(ask, stopped.signal)
    expect(await listed).toMatchObject([{ id: 'ask_1' }])
    stopped.abort(new Error('over'))
    await expect(asked).rejects.toThrow('over')
  })

  it('waits for an ask that a stream has shown before it was opened', async () => {
    const inbox = createInbox(asks())
    inbox.announce('ask_1')
    const answered = inbox.answer('ask_1', { type: 'approve' })
    expect(await inbox.ask(ask, never)).toEqual({ type: 'approve' })
    expect(await answered).toMatchObject({ id: 'ask_1', answer: { type: 'approve' } })
    await expect(inbox.answer('ask_1', { type: 'deny' })).rejects.toMatchObject({ name: 'AskClosed', status: 409 })
  })
})

describe('an ask of a page', () => {
  const done: Answer = { type: 'answers', answers: { status: 'success' } }
  const browserAsk: Ask = { ...ask, kind: 'browser', toolCallId: 'c1', client: 'page-1' }
  const said = { sessionId: 's1', toolCallId: 'c1', client: 'page-1', answer: done }

  it('finds its page’s early report, and no other', async () => {
    const inbox = createInbox(asks())
    const forged: Answer = { type: 'answers', answers: { status: 'forged' } }
    expect(await inbox.acknowledge({ ...said, client: 'page-2', answer: forged })).toBe('stored')
    expect(await inbox.acknowledge({ ...said, sessionId: 's2', answer: forged })).toBe('stored')
    expect(await inbox.acknowledge(said)).toBe('stored')
    let opened = false
    expect(await inbox.ask(browserAsk, never, () => void (opened = true))).toEqual(done)
    expect(opened).toBe(false)
    await expect(inbox.acknowledge(said)).rejects.toMatchObject({ name: 'AskClosed', status: 409 })
  })

  it('finds its page’s report while it is being opened', async () => {
    const results: string[] = []
    const inbox = createInbox(asks(async () => void results.push(await inbox.acknowledge(said))))
    expect(await inbox.ask(browserAsk, never)).toEqual(done)
    expect(results).toEqual(['resolved'])
  })

  it('is answered only by its own page', async () => {
    const inbox = createInbox(asks())
    const opened = Promise.withResolvers<void>()
    const waiting = inbox.ask(browserAsk, never, opened.resolve)
    await opened.promise
    const forbidden = { name: 'ForeignClient', status: 403 }
    await expect(inbox.acknowledge({ ...said, client: 'page-2' })).rejects.toMatchObject(forbidden)
    await expect(inbox.answer('ask_1', done)).rejects.toMatchObject(forbidden)
    await expect(inbox.answer('ask_1', { type: 'deny' }, { client: 'page-2' })).rejects.toMatchObject(forbidden)
    expect(await inbox.acknowledge(said)).toBe('resolved')
    expect(await waiting).toEqual(done)
  })

  it('that waits for a person is answered from wherever they are, but not before it is asked', async () => {
    const inbox = createInbox(asks())
    const elsewhere = { ...said, client: 'page-2' }
    await expect(inbox.acknowledge(elsewhere, { client: 'page-1' })).rejects.toMatchObject({ name: 'ForeignClient' })
    const opened = Promise.withResolvers<void>()
    const waiting = inbox.ask({ ...browserAsk, content: { byPerson: true } }, never, opened.resolve)
    await opened.promise
    expect(await inbox.acknowledge(elsewhere, { client: 'page-1' })).toBe('resolved')
    expect(await waiting).toEqual(done)
    await expect(inbox.acknowledge(said)).rejects.toMatchObject({ name: 'AskClosed', status: 409 })
  })

  it('accepts one early report of its page: a second is rejected, and the first counts', async () => {
    const inbox = createInbox(asks())
    expect(await inbox.acknowledge(said)).toBe('stored')
    const other: Answer = { type: 'answers', answers: { status: 'failed' } }
    await expect(inbox.acknowledge({ ...said, answer: other })).rejects.toMatchObject({ status: 409 })
    expect(await inbox.ask(browserAsk, never)).toEqual(done)
  })

  it('has the time that was left when it is asked again after a restart', async () => {
    const store = asks()
    const before = new AbortController()
    const asked = { ...browserAsk, createdAt: Date.now() - 60_000, timeoutMs: 60_010 }
    const left = createInbox(store).ask(asked, before.signal, () => before.abort(new NamedError('Interrupted', 'gone')))
    await expect(left).rejects.toMatchObject({ name: 'Interrupted' })
    const again = createInbox(store).ask({ ...asked, createdAt: Date.now() }, never)
    await expect(again).rejects.toMatchObject({ name: 'AskTimeout' })
  }, 5000)

  it('is closed at its timeout, and the caller gets a named error', async () => {
    const inbox = createInbox(asks())
    await expect(inbox.ask({ ...browserAsk, timeoutMs: 5 }, never)).rejects.toMatchObject({
      name: 'AskTimeout',
      status: 408,
      data: { askId: 'ask_1', timeoutMs: 5 },
    })
    await expect(inbox.acknowledge(said)).rejects.toMatchObject({ name: 'AskClosed' })
  })
})
