import type { Ask, Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { describe, expect, it, vi } from 'vitest'
import type { Ctx, Route, RouteInput } from '../http/route.ts'
import { ask } from '../stores/testing/builders.ts'
import type { Forwarder } from './forward.ts'
import type { NodeInfo } from './nodes.ts'
import { createPassOn, type PassOn } from './pass-on.ts'

const dead = { id: 'dead' } as NodeInfo
const next = { id: 'next' } as NodeInfo
const self = { id: 'self' } as NodeInfo
const c = { req: { header: () => undefined }, json: (value: unknown) => Response.json(value) } as unknown as Ctx

describe('a request for another node', () => {
  it('waits for the next owner of a chat whose node does not answer', async () => {
    const { passOn, sent } = open({ fails: 'unsent' })
    const answer = await passOn(c, route('POST', '/ai/sessions/:id/fork'), input(), owners(dead, undefined, next))
    expect([answer?.status, sent.mock.calls.map(([, node]) => node.id)]).toEqual([200, ['dead', 'next']])
    expect(await passOn(c, route('POST', '/ai/chat'), input(), owners(dead, self))).toBeUndefined()
  })

  it('is repeated after it was sent only if it has one effect', async () => {
    for (const [method, path] of [
      ['POST', '/ai/chat'],
      ['GET', '/ai/files/tree'],
      ['PATCH', '/ai/sessions/:id'],
    ] as const) {
      const answer = await open({ fails: 'sent' }).passOn(c, route(method, path), input(), owners(dead, next))
      expect(answer?.status).toBe(200)
    }
    const fork = open({ fails: 'sent' })
    const refused = fork.passOn(c, route('POST', '/ai/sessions/:id/fork'), input(), owners(dead, next))
    await expect(refused).rejects.toMatchObject({ name: 'NodeUnreachable', data: { sent: true } })
    expect(fork.sent).toHaveBeenCalledOnce()
    const upload: Route = { ...route('POST', '/ai/files/upload'), body: 'upload' }
    const begun = open({ fails: 'unsent' }).passOn(c, upload, input(), owners(dead, next))
    await expect(begun).rejects.toMatchObject({ name: 'NodeUnreachable' })
  })

  it('with an answer that was stored before its node died is not repeated', async () => {
    const answered = { ...ask('ask_1', 's1', { toolCallId: 'c1' }), closedAt: 1 }
    const approve = { type: 'approve' } as const
    const first = open({ fails: 'sent', stored: { ...answered, answer: approve } })
    const given = input({ answer: approve }, { id: 'ask_1' })
    const response = await first.passOn(c, route('POST', '/ai/asks/:id'), given, owners(dead, next))
    expect(await response?.json()).toMatchObject({ ask: { id: 'ask_1', answer: approve }, settled: [] })
    expect(first.sent).toHaveBeenCalledOnce()

    // The owner says that somebody else answered differently.
    const other = open({ fails: 'sent', stored: { ...answered, answer: { type: 'deny' } } })
    await other.passOn(c, route('POST', '/ai/asks/:id'), given, owners(dead, next))
    expect(other.sent).toHaveBeenCalledTimes(2)

    const report = { sessionId: 's1', toolCallId: 'c1', clientId: 'p1', status: 'success', output: 1 }
    const stored = { ...answered, answer: { type: 'answers', answers: { status: 'success', output: 1 } } } as Ask
    const page = open({ fails: 'sent', stored })
    const ack = await page.passOn(c, route('POST', '/ai/tools/ack'), input(report), owners(dead, next))
    expect(await ack?.json()).toEqual({ result: 'resolved' })
  })

  it('fails with a named error once nobody took the chat over in time', async () => {
    const { passOn } = open({ fails: 'unsent', patienceMs: 0 })
    const failed = passOn(c, route('POST', '/ai/asks/:id'), input(), owners(dead))
    await expect(failed).rejects.toMatchObject({ name: 'NodeUnreachable', status: 503 })
    const moving = passOn(c, route('POST', '/ai/chat'), input(), owners(undefined))
    await expect(moving).rejects.toMatchObject({ name: 'NotHere' })
  })
})

/** Requests to the dead node fail. */
function open({
  fails,
  stored,
  patienceMs,
}: {
  fails: 'sent' | 'unsent'
  stored?: Ask
  patienceMs?: number
}): PassOn & {
  sent: ReturnType<typeof vi.fn<Forwarder['send']>>
} {
  const sent = vi.fn<Forwarder['send']>((_, node) =>
    node === dead
      ? Promise.reject(new NamedError('NodeUnreachable', 'no', { status: 503, data: { sent: fails === 'sent' } }))
      : Promise.resolve(Response.json({})),
  )
  const asks: Pick<Store['asks'], 'get' | 'list'> = {
    get: () => Promise.resolve(stored),
    list: () => Promise.resolve(stored === undefined ? [] : [stored]),
  }
  const nodes = { self, refresh: () => Promise.resolve() }
  return { ...createPassOn({ nodes, store: { asks }, forwarder: { send: sent }, patienceMs, pauseMs: 0 }), sent }
}

function owners(...nodes: (NodeInfo | undefined)[]): () => Promise<NodeInfo | undefined> {
  return () => Promise.resolve(nodes.length > 1 ? nodes.shift() : nodes[0])
}

function route(method: Route['method'], path: string): Route {
  return { method, path } as Route
}

function input(body: unknown = {}, params: Record<string, string> = {}): RouteInput {
  return { body, params } as RouteInput
}
