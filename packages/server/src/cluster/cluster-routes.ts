import type { RunRecord } from '@troupe/core'
import { NamedError, tabEndpoints } from '@troupe/protocol'
import { streamColumns } from '../chat/column-stream.ts'
import type { ClusterRoutes } from '../http/app.ts'
import { type Ctx, resumeAfter, type Route, type RouteInput, streamResponse } from '../http/route.ts'
import { type TurnDescription, turnHeader } from '../http/turn-description.ts'
import { runRequestOf } from '../runs/prepare-run.ts'
import { personIdOf } from '../http/principal.ts'
import { isInDoubt } from '../util/storage-fault.ts'
import type { Forwarder } from './forward.ts'
import { notHere } from '../runs/not-here.ts'
import type { NodeInfo } from './nodes.ts'
import type { Cluster } from './open-cluster.ts'
import { createPassOn } from './pass-on.ts'
import { openRemoteRun, type RemoteRun } from './remote-run.ts'
import type { TerminalPlaces } from './terminal-places.ts'

export interface ClusterRoutesOptions {
  cluster: Cluster
  forwarder: Forwarder
  /** Names the disk with the folder of a workspace. Undefined for an unknown one. */
  placeOf(workspaceId: string): Promise<string | undefined>
  terminals: Pick<TerminalPlaces, 'ofPerson'>
  /** The address of the caller. */
  addressOf?: ((c: Ctx) => string | undefined) | undefined
}

/** Answers on any node: passes requests about a chat to its holder, and streams runs of other nodes from the database. */
export function createClusterRoutes(options: ClusterRoutesOptions): ClusterRoutes {
  const { cluster, forwarder } = options
  const { nodes, store, feed } = cluster
  const { passOn, send } = createPassOn({ nodes, store, forwarder, addressOf: options.addressOf })
  /** The chats of requests that change them here. */
  const sessions = new WeakMap<RouteInput, string>()

  return {
    principalOf: (c) => forwarder.principalOf(c, nodes.self.id),
    async answerElsewhere(c, route, input) {
      if (route.access.on === 'open') return undefined
      if (!nodes.isValid()) await nodes.ready()
      const isForwarded = forwarder.principalOf(c, nodes.self.id) !== undefined
      if (route.path === '/ai/tabs') return isForwarded ? undefined : answerTogether(c, route, input)
      if (isTerminal(route)) return isForwarded ? undefined : answerByTerminals(c, route, input)
      const sessionId = await sessionOf(route, input)
      if (sessionId !== undefined) await cluster.settled(sessionId)
      if (sessionId === undefined) return isForwarded ? undefined : answerByPlace(c, route, input)
      if (isForwarded && onlyTellsReaders(route)) return undefined
      if (needsHolder(route)) sessions.set(input, sessionId)
      if (isForwarded) {
        const holder = needsHolder(route) ? await cluster.adopt(sessionId) : nodes.self.id
        if (holder !== nodes.self.id) throw notHere()
        return undefined
      }
      const { path } = route
      if (path === '/ai/chat/:sessionId/stream') return followChat(c, sessionId, input)
      if (path === '/ai/sessions/:id/agents/:agentId/stream') return followAgent(c, sessionId, input)
      if (!needsHolder(route)) return answerByPlace(c, route, input)
      // A chat that is parked stays parked.
      if (onlyTellsReaders(route) && (await cluster.leases.holder(sessionId)) === undefined) return undefined
      return answerByHolder(c, route, sessionId, input)
    },
    onError(input, error) {
      const sessionId = sessions.get(input)
      // What is stored may contain a run, or an answer to one, that this process does not know.
      if (sessionId !== undefined && isInDoubt(error)) cluster.suspend(sessionId)
    },
  }

  async function answerByHolder(
    c: Ctx,
    route: Route,
    sessionId: string,
    input: RouteInput,
  ): Promise<Response | undefined> {
    const answer = await passOn(c, route, input, () => holderOf(sessionId, c, input))
    return answer && followTurn(c, answer, input)
  }

  /**
   * Takes the chat if no live node has it and this one can reach its folder. Undefined while the chat is between two
   * nodes.
   */
  async function holderOf(sessionId: string, c: Ctx, input: RouteInput): Promise<NodeInfo | undefined> {
    const known = await cluster.leases.holder(sessionId)
    if (known === undefined) {
      const place = await placeOf(sessionId, c, input)
      if (place !== undefined && place !== nodes.self.place) return nodeIn(place)
    }
    // It is being given away, or taken up again.
    const isLoose = known === nodes.self.id && cluster.leases.fenceOf(sessionId) === undefined
    if (isLoose && nodes.self.draining) return undefined
    const isFree = known === undefined || isLoose
    const id = !isFree ? known : nodes.self.draining ? otherNode().id : await cluster.adopt(sessionId)
    const node = nodes.find(id)
    if (node !== undefined) return node
    await nodes.refresh()
    return nodes.find(id)
  }

  async function placeOf(sessionId: string, c: Ctx, { body }: RouteInput): Promise<string | undefined> {
    const session = await store.sessions.get(sessionId)
    const workspace =
      session?.workspaceId ?? c.req.query('workspace') ?? (Object(body) as { workspace?: string }).workspace
    return workspace === undefined ? undefined : options.placeOf(workspace)
  }

  /** Any node of the place can answer what is about a folder. */
  async function answerByPlace(c: Ctx, route: Route, input: RouteInput): Promise<Response | undefined> {
    const workspace = c.req.query('workspace') ?? (Object(input.body) as { workspace?: unknown }).workspace
    if (route.scoped !== true || typeof workspace !== 'string') return undefined
    const place = await options.placeOf(workspace)
    if (place === undefined || place === nodes.self.place) return undefined
    return passOn(c, route, input, async () => nodeIn(place))
  }

  /** Any node may have a chat that needs this page, so all of them know it, and the page gets the calls of all. */
  async function answerTogether(c: Ctx, route: Route, input: RouteInput): Promise<Response> {
    const others = nodes.list().filter(({ id }) => id !== nodes.self.id)
    const [own, ...answers] = await Promise.all([
      route.handle(c, input),
      ...others.map(async (node) => {
        const answer = await send(c, node, input).catch(() => undefined)
        return answer?.status === 200 ? answer.json() : undefined
      }),
    ])
    const schema = tabEndpoints['POST /ai/tabs'].answers[200]
    const found = [own, ...answers].flatMap((answer) => schema.safeParse(answer).data ?? [])
    return c.json({
      calls: found.flatMap(({ calls }) => calls),
      others: found.reduce((sum, one) => sum + one.others, 0),
    })
  }

  function answerByTerminals(c: Ctx, route: Route, input: RouteInput): Promise<Response | undefined> {
    const { workspaceId, principal } = input
    const owner = { workspaceId, ownerId: personIdOf(principal) ?? null }
    return passOn(c, route, input, async () => (await options.terminals.ofPerson(owner)) ?? nodes.self)
  }

  function nodeIn(place: string): NodeInfo {
    const found = nodes.list().filter((node) => node.place === place && !node.draining)
    const node = found[Math.floor(Math.random() * found.length)]
    if (node !== undefined) return node
    throw new NamedError('NoNode', `No node that can reach this folder is running (${place}).`, {
      status: 503,
      data: { place },
    })
  }

  function otherNode(): NodeInfo {
    return (
      nodes.list().find(({ id, place, draining }) => id !== nodes.self.id && place === nodes.self.place && !draining) ??
      nodes.self
    )
  }

  /** The holder named the runs instead of streaming them, so the stream survives the holder. */
  async function followTurn(c: Ctx, answer: Response, { query }: RouteInput): Promise<Response> {
    const described = answer.headers.get(turnHeader)
    if (described === null) return answer
    const turn = JSON.parse(described) as TurnDescription
    const untilWaiting = query['hold'] !== '1'
    const { sessionId, userMessageId, runId, after } = turn
    if (runId === undefined) return streamResponse(c, columns(sessionId, userMessageId, [], untilWaiting))
    const record = await store.runs.get(runId)
    if (record === undefined) throw notHere()
    const run = open(record)
    return streamResponse(c, (sink) => run.subscribe(sink, { after, untilWaiting }))
  }

  async function followChat(c: Ctx, sessionId: string, { query }: RouteInput): Promise<Response | undefined> {
    if (cluster.leases.fenceOf(sessionId) !== undefined && nodes.isValid()) return undefined
    const [first] = await unfinished(sessionId)
    if (first === undefined) return undefined
    const after = resumeAfter(c, query['after'])
    const untilWaiting = query['hold'] === '0'
    const { column } = runRequestOf(first)
    const question = column === undefined ? undefined : await store.messages.get({ sessionId }, first.userMessageId)
    if (question?.metadata?.comparison !== undefined && question.metadata.comparison.picked === undefined)
      return streamResponse(c, columns(sessionId, first.userMessageId, after, untilWaiting))
    const run = open(first)
    return streamResponse(c, (sink) => run.subscribe(sink, { after, untilWaiting }))
  }

  async function followAgent(c: Ctx, sessionId: string, { params, query }: RouteInput): Promise<Response | undefined> {
    if (cluster.leases.fenceOf(sessionId) !== undefined && nodes.isValid()) return undefined
    const records = await store.runs.ofSession(sessionId)
    const record = records.findLast(({ agentId, endedAt }) => agentId === params['agentId'] && endedAt === null)
    if (record === undefined) return undefined
    const run = open(record)
    return streamResponse(c, (sink) => run.subscribe(sink, { after: resumeAfter(c, query['after']) }))
  }

  function columns(
    sessionId: string,
    userMessageId: string,
    after: readonly number[],
    untilWaiting: boolean,
  ): ReturnType<typeof streamColumns> {
    let known: RemoteRun[] = []
    const reread = async (): Promise<void> => {
      const records = (await unfinished(sessionId)).filter((record) => record.userMessageId === userMessageId)
      known = records.map((record) => known.find(({ runId }) => runId === record.id) ?? open(record))
    }
    return streamColumns(
      { sessionId, userMessageId, after, untilWaiting },
      {
        store,
        runs: {
          all: () => known,
          watch(_, onChange) {
            const stop = feed.onRun(sessionId, () => void reread().then(onChange, () => undefined))
            void reread().then(onChange, () => undefined)
            return stop
          },
        },
      },
    )
  }

  function open(record: RunRecord): RemoteRun {
    return openRemoteRun(record, { store, feed })
  }

  async function unfinished(sessionId: string): Promise<RunRecord[]> {
    const records = await store.runs.ofSession(sessionId)
    return records.filter(({ agentId, endedAt }) => agentId === null && endedAt === null)
  }

  async function sessionOf(route: Route, { params, body }: RouteInput): Promise<string | undefined> {
    if (route.path.startsWith('/ai/sessions/:id')) return params['id']
    if (route.path === '/ai/asks/:id') return (await store.asks.get(params['id'] ?? ''))?.sessionId
    const given = Object(body) as { sessionId?: unknown; id?: unknown }
    const found = params['sessionId'] ?? given.sessionId ?? (route.path === '/ai/chat' ? given.id : undefined)
    return typeof found === 'string' ? found : undefined
  }
}

/** A ticket is good on every node. */
function isTerminal({ path }: Route): boolean {
  return path.startsWith('/ai/terminals') && path !== '/ai/terminals/ticket'
}

/** They are in the database. The holder only shows them to readers of a live run. */
function onlyTellsReaders({ path }: Route): boolean {
  return path === '/ai/sessions/:id/presence' || path.startsWith('/ai/sessions/:id/comments')
}

/** Reads come from the database. Changes, and what only the memory of the holder knows, go to the holder. */
function needsHolder({ method, path }: Route): boolean {
  return method !== 'GET' || path.startsWith('/ai/sessions/:id/tasks') || path === '/ai/debug/:sessionId'
}
