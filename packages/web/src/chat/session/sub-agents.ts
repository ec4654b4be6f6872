import type { Session } from '@troupe/core'
import { type Chunk, newId } from '@troupe/protocol'
import { createStore } from 'zustand/vanilla'
import type { Api } from '../../api/api.ts'
import { ApiError, isUnreachable } from '../../api/request.ts'
import type { SubAgentInfo } from '../../api/session-types.ts'
import type { PanelRequest } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'
import { partData } from './message-parts.ts'
import type { ChatSessionStore, SubAgents, SubAgentsState } from './session-types.ts'
import { createAgentTurns, isAgentActive } from './sub-agent.ts'
import * as state from './sub-agents-state.ts'
import type { SubAgentMap } from './sub-agents-state.ts'

interface SubAgentsServices {
  api: Api
  now: () => number
  onError: (error: unknown) => void
  openConversation: (agentId: string) => ChatSessionStore
  /** Minimum interval between updates in milliseconds. */
  everyMs?: number
}

/** The stream reports the end before it is stored, so check again after these delays. */
const endPauses = [0, 300, 1000, 3000]

export function createSubAgents(sessionId: string, services: SubAgentsServices): SubAgents {
  const { api, now, onError, openConversation, everyMs = 50 } = services
  const store = createStore<SubAgentsState>(() => ({
    agents: new Map(),
    children: new Map(),
    shown: null,
    busy: new Set(),
  }))
  const folds = createAgentTurns()
  const conversations = createConversationCache(openConversation, (agentId) => alone.has(agentId) || isShown(agentId))
  const conversation = conversations.of
  /** Agents at work while the session has no run. Only their own streams report them. */
  const alone = new Set<string>()
  /** Agents with stream updates since the list was requested. */
  const moved = new Set<string>()
  /** Ahead of the store until the next flush. */
  let agents: SubAgentMap = new Map()
  let timer: ReturnType<typeof setTimeout> | undefined
  let root: 'unknown' | 'live' | 'idle' = 'unknown'
  let isOpen = false
  const load = coalesceCalls(read, 4 * everyMs)

  return {
    ...store,
    open,
    close,
    handleChunk: take,
    handleOwnChunk: takeOwn,
    runEnded,
    ownEnded: (agentId) => void ownEnded(agentId),
    show,
    conversation,
    stop,
    send: tell,
    retry: (agentId) => tell(agentId, t.subAgents.retryText),
    fork,
  }

  function open({ isNew }: { isNew: boolean }): void {
    isOpen = true
    if (isNew) return
    void load()
    const agentId = store.getState().shown?.agentId
    if (agentId != null) void conversation(agentId).open()
  }

  function close(): void {
    isOpen = false
    root = 'unknown'
    alone.clear()
    flush()
    conversations.closeAll()
  }

  function take(chunk: Chunk): void {
    root = 'live'
    if (chunk.type.startsWith('data-')) takeNews(chunk)
  }

  function takeNews(chunk: Chunk): void {
    const envelope = partData(chunk, 'sub-agent-chunk')
    for (const inner of envelope?.chunks ?? []) takeOf(envelope?.agentId ?? '', inner as Chunk)
    const started = partData(chunk, 'sub-agent-start')
    if (started !== undefined) {
      change(state.withStarted(agents, started, now()))
      moved.add(started.agentId)
      // The list adds its model and the call that started it.
      void load()
    }
    const report = partData(chunk, 'tool-progress')
    if (report !== undefined) change(state.withReport(agents, report))
    const ended = partData(chunk, 'sub-agent-end')
    if (ended !== undefined) end(ended)
  }

  function takeOf(agentId: string, chunk: Chunk): void {
    folds.take(agentId, chunk)
    schedule()
    if (chunk.type === 'data-tool-progress') takeNews(chunk)
    // The agent starts a turn, but its open view believes there is none.
    if (chunk.type === 'start' && isShown(agentId) && !alone.has(agentId)) void conversation(agentId).open()
  }

  function takeOwn(agentId: string, chunk: Chunk): void {
    if (alone.has(agentId)) takeOf(agentId, chunk)
    // Only its stream reports the sub-agents of an agent that runs on its own.
    if (chunk.type.startsWith('data-sub-agent-')) takeNews(chunk)
  }

  function end(ended: Parameters<typeof state.withEnded>[1]): void {
    const { agentId } = ended
    const news = folds.read(agentId)
    if (news !== undefined) change(state.withActivity(agents, agentId, news.activity, news.tokens))
    change(state.withEnded(agents, ended, now()))
    folds.forget(agentId)
    moved.add(agentId)
    // Loads its cost and note.
    void load()
  }

  function change(next: SubAgentMap): void {
    if (next === agents) return
    agents = next
    schedule()
  }

  function schedule(): void {
    timer ??= setTimeout(flush, everyMs)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    for (const [agentId, { activity, tokens }] of folds.readAll())
      agents = state.withActivity(agents, agentId, activity, tokens)
    const before = store.getState()
    if (before.agents === agents) return
    const below = state.hasSameShape(before.agents, agents) ? before.children : state.childrenByParent(agents)
    store.setState({ agents, children: below })
  }

  async function read(): Promise<void> {
    moved.clear()
    try {
      const { agents: infos } = await api.subAgents(sessionId)
      agents = state.withListed(agents, infos, moved)
      flush()
      followAlone()
    } catch (error) {
      // A deleted session is reported where it is loaded.
      if (!isUnreachable(error) && !(error instanceof ApiError && error.status === 404)) onError(error)
    }
  }

  function runEnded(): void {
    const hadRun = root === 'live'
    root = 'idle'
    // Agents whose end was not reported get no more chunks.
    folds.forgetAllBut(alone)
    if (hadRun && agents.size > 0) void load()
    else followAlone()
  }

  /** Follows agents that continue without the session after a user message. */
  function followAlone(): void {
    if (root !== 'idle' || !isOpen) return
    for (const agent of agents.values()) {
      if (!isAgentActive(agent) || alone.has(agent.agentId)) continue
      alone.add(agent.agentId)
      void conversation(agent.agentId).open()
    }
  }

  async function ownEnded(agentId: string): Promise<void> {
    if (!alone.has(agentId)) return
    for (const pause of endPauses) {
      await wait(pause)
      if (!isOpen) return
      await load()
      const agent = agents.get(agentId)
      if (agent === undefined || !isAgentActive(agent)) break
    }
    alone.delete(agentId)
    folds.forget(agentId)
  }

  function show(shown: SubAgentsState['shown']): void {
    const before = store.getState().shown?.agentId
    store.setState({ shown })
    if (before != null && before !== shown?.agentId && !alone.has(before)) conversations.close(before)
    if (shown?.agentId != null) void conversation(shown.agentId).open()
  }

  function isShown(agentId: string): boolean {
    return store.getState().shown?.agentId === agentId
  }

  async function stop(agentId: string): Promise<void> {
    await ask(agentId, () => api.stopSubAgent({ sessionId, agentId }))
  }

  async function tell(agentId: string, text: string): Promise<boolean> {
    const isSent = await ask(agentId, () => api.messageSubAgent({ sessionId, agentId }, { id: newId('u'), text }))
    if (isSent) followAlone()
    return isSent
  }

  /** Allows one request per agent at a time. False if rejected. */
  async function ask(agentId: string, request: () => Promise<{ agent: SubAgentInfo }>): Promise<boolean> {
    if (store.getState().busy.has(agentId)) return false
    store.setState(({ busy }) => ({ busy: new Set([...busy, agentId]) }))
    try {
      const { agent } = await request()
      agents = state.withInfo(agents, agent)
      moved.add(agentId)
      flush()
      return true
    } catch (error) {
      // It has already ended.
      if (!(error instanceof ApiError && error.name === 'NoRun')) onError(error)
      void load()
      return false
    } finally {
      store.setState(({ busy }) => ({ busy: new Set([...busy].filter((id) => id !== agentId)) }))
    }
  }

  async function fork(agentId: string): Promise<Session | undefined> {
    try {
      return (await api.forkSubAgent({ sessionId, agentId })).session
    } catch (error) {
      onError(error)
      return undefined
    }
  }
}

/** Runs one call at a time. Calls during a run share one more run after a pause. */
function coalesceCalls(work: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let going: Promise<void> | undefined
  let wanted: Promise<void> | undefined
  return call

  function call(): Promise<void> {
    if (going === undefined) {
      going = work().finally(() => void (going = undefined))
      return going
    }
    wanted ??= going
      .then(() => wait(pauseMs))
      .then(() => {
        wanted = undefined
        return call()
      })
    return wanted
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

const most = 6

/** Caches recently viewed conversations and opens them on demand. Never evicts one in use. */
function createConversationCache(open: (agentId: string) => ChatSessionStore, isUsed: (agentId: string) => boolean) {
  const kept = new Map<string, ChatSessionStore>()
  return { of, close, closeAll }

  function of(agentId: string): ChatSessionStore {
    const found = kept.get(agentId) ?? open(agentId)
    kept.delete(agentId)
    kept.set(agentId, found)
    for (const other of kept.keys()) {
      if (kept.size <= most) break
      if (other === agentId || isUsed(other)) continue
      close(other)
      kept.delete(other)
    }
    return found
  }

  function close(agentId: string): void {
    kept.get(agentId)?.close()
  }

  function closeAll(): void {
    for (const one of kept.values()) one.close()
  }
}

/** Panel of one agent's conversation. Null shows all agents of the session. */
export function agentPanel(agents: SubAgents, agentId: string | null): PanelRequest {
  if (agentId === null) return { kind: 'agent', title: t.subAgents.title }
  const title = agents.getState().agents.get(agentId)?.name ?? t.subAgents.agent
  return { kind: 'agent', key: agentId, title, data: { agentId } }
}
