import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Store } from '@troupe/core'
import { askEndpoints, NamedError, toolAckEndpoints } from '@troupe/protocol'
import { addressHeader, fromPageHeader, requestIdHeader } from '../http/observe.ts'
import type { Ctx, Route, RouteInput } from '../http/route.ts'
import { turnHeader } from '../http/turn-description.ts'
import { ackAnswer } from '../runs/asks.ts'
import { notHere } from '../runs/not-here.ts'
import type { Forwarder } from './forward.ts'
import type { NodeInfo, Nodes } from './nodes.ts'

interface PassOnOptions {
  nodes: Pick<Nodes, 'self' | 'refresh'>
  store: { asks: Pick<Store['asks'], 'get' | 'list'> }
  forwarder: Pick<Forwarder, 'send'>
  /** The address of the caller. */
  addressOf?: ((c: Ctx) => string | undefined) | undefined
  patienceMs?: number
  pauseMs?: number
}

export interface PassOn {
  /**
   * Passes a request to the node that `find` names, and waits while that one dies or moves. Undefined if it is this
   * node. A request that a node may have seen is repeated only if it has one effect. Throws `NodeUnreachable` (503) or
   * `NotHere` (421).
   */
  passOn(
    c: Ctx,
    route: Route,
    input: RouteInput,
    find: () => Promise<NodeInfo | undefined>,
  ): Promise<Response | undefined>
  /** Sends it once. */
  send(c: Ctx, node: NodeInfo, input: RouteInput): Promise<Response>
}

export function createPassOn(options: PassOnOptions): PassOn {
  // A takeover takes about six seconds, and longer on a busy machine.
  const { nodes, store, forwarder, patienceMs = 30_000, pauseMs = 250 } = options
  return { passOn, send }

  async function passOn(
    c: Ctx,
    route: Route,
    input: RouteInput,
    find: () => Promise<NodeInfo | undefined>,
  ): Promise<Response | undefined> {
    const until = performance.now() + patienceMs
    for (let wasSent = false; ; await nodes.refresh()) {
      const known = wasSent ? await acceptedBefore(route, input) : undefined
      if (known !== undefined) return c.json(known)
      const node = await find()
      if (node?.id === nodes.self.id) return undefined
      try {
        const answer = node && (await send(c, node, input))
        if (answer !== undefined && answer.status !== 421) return answer
        await answer?.body?.cancel()
      } catch (error) {
        if (!(error instanceof NamedError) || error.name !== 'NodeUnreachable') throw error
        const { sent } = error.data as { sent: boolean }
        // The stream of an upload can be read once.
        const isOver = route.body === 'upload' || (sent && !isRepeatable(route))
        if (isOver || performance.now() > until) throw error
        wasSent ||= sent
      }
      if (performance.now() > until) throw notHere()
      await delay(pauseMs)
    }
  }

  function send(c: Ctx, node: NodeInfo, { principal, body, requestId }: RouteInput): Promise<Response> {
    const headers = {
      [turnHeader]: 'describe',
      [addressHeader]: options.addressOf?.(c) ?? '',
      [fromPageHeader]: c.req.header('authorization') === undefined ? '1' : '0',
      ...(requestId !== undefined && { [requestIdHeader]: requestId }),
    }
    return forwarder.send(c, node, { principal, body, headers })
  }

  /** The response to an answer that a node stored before it died. */
  async function acceptedBefore({ path }: Route, { params, body }: RouteInput): Promise<object | undefined> {
    if (path === '/ai/asks/:id') {
      const { answer } = askEndpoints['POST /ai/asks/:id'].body.parse(body)
      const ask = await store.asks.get(params['id'] ?? '')
      return ask !== undefined && isSame(ask.answer, answer) ? { ask, settled: [] } : undefined
    }
    if (path !== '/ai/tools/ack') return undefined
    const given = toolAckEndpoints['POST /ai/tools/ack'].body.parse(body)
    const asks = await store.asks.list({ sessionId: given.sessionId })
    const ask = asks.findLast(({ toolCallId }) => toolCallId === given.toolCallId)
    return ask !== undefined && isSame(ask.answer, ackAnswer(given)) ? { result: 'resolved' } : undefined
  }
}

/** Requests that name what they are about. */
const repeatable = new Set([
  '/ai/asks/:id',
  '/ai/chat',
  '/ai/chat/:sessionId/steer',
  '/ai/chat/:sessionId/stop',
  '/ai/sessions/:id/agents/:agentId/input',
  '/ai/sessions/:id/agents/:agentId/stop',
  '/ai/sessions/:id/presence',
  '/ai/sessions/:id/tasks/:taskId/stop',
  '/ai/tools/ack',
])

function isRepeatable({ method, path }: Route): boolean {
  const isSetting = method === 'PUT' || method === 'PATCH'
  return method === 'GET' || repeatable.has(path) || (isSetting && path.startsWith('/ai/sessions/:id'))
}

/** What is stored has no undefined values. */
function isSame(stored: unknown, given: unknown): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify(given)))
}
