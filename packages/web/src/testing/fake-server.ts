import type { BranchPage } from '@troupe/core'
import { type Chunk, formatEvent, type StoredMessage } from '@troupe/protocol'
import { expect } from 'vitest'
import { createApi } from '../api/api.ts'
import { createRequest } from '../api/request.ts'
import type { SubAgentInfo } from '../api/session-types.ts'
import { openSubAgents } from '../chat/session/open-sub-agents.ts'
import { createQueue, type QueueStorage } from '../chat/session/queue.ts'
import { emptySession, type SessionState } from '../chat/session/session-state.ts'
import { createSessionStore } from '../chat/session/session-store.ts'
import { noPanels } from '../state/panels-state.ts'
import { createPanels } from '../state/panels.ts'

/** Test server that answers requests from a list in order. The test writes streams by hand. */
export function createFakeServer() {
  const requests: { method: string; path: string; body: unknown }[] = []
  const waiting: { path: string; answer: (response: Response | Error) => void; signal: AbortSignal | undefined }[] = []
  const listeners = new Set<() => void>()
  const wakers = new Set<() => void>()
  /** Answered automatically, so that unrelated tests can ignore it. */
  const subAgents: SubAgentInfo[] = []

  const fetch = (path: string, init: RequestInit): Promise<Response> => {
    if (path === '/ai/sessions/s1/agents') return Promise.resolve(Response.json({ agents: subAgents }))
    requests.push({
      method: init.method ?? 'GET',
      path,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    })
    return new Promise((resolve, reject) => {
      const answer = (response: Response | Error) => {
        if (response instanceof Error) reject(response)
        else resolve(response)
      }
      waiting.push({ path, answer, signal: init.signal ?? undefined })
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
      for (const listener of listeners) listener()
    })
  }

  /** Returns the next request whose path starts with this, waiting if necessary. */
  async function next(path: string) {
    for (;;) {
      const index = waiting.findIndex((request) => request.path.startsWith(path))
      const [found] = index < 0 ? [] : waiting.splice(index, 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        const listener = () => {
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      })
    }
  }

  async function replyJson(path: string, body: unknown, status = 200): Promise<void> {
    const { answer } = await next(path)
    answer(Response.json(body, { status }))
  }

  async function replyIdle(path: string): Promise<void> {
    const { answer } = await next(path)
    answer(new Response(null, { status: 204 }))
  }

  async function replyStream(path: string) {
    const { answer, signal } = await next(path)
    let controller!: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (created) => void (controller = created) })
    const cut = new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => {
        controller.error(signal.reason)
        resolve()
      })
    })
    answer(new Response(body, { headers: { 'content-type': 'text/event-stream' } }))
    const encoder = new TextEncoder()
    return {
      /** Without a number, the chunk is not in the log. */
      write: (number: number | undefined, chunk: Chunk) => {
        const event = number === undefined ? `data: ${JSON.stringify(chunk)}\n\n` : formatEvent(number, chunk)
        controller.enqueue(encoder.encode(event))
      },
      end: () => controller.close(),
      /** Resolves when the client disconnects. */
      cut,
      break: () => controller.error(new TypeError('network error')),
    }
  }

  const errors: unknown[] = []
  const drafts: string[] = []
  const freed: string[] = []
  const request = createRequest(fetch as typeof globalThis.fetch, () => undefined)
  const picked: string[] = []
  const openSession = (
    phase: SessionState['phase'] = 'loading',
    place: QueueStorage = memoryQueueStorage(),
    compared?: readonly string[],
  ) => {
    const services = {
      compare: () => compared,
      onPicked: (model: string) => void picked.push(model),
      api: createApi(request),
      ids: { clientId: 'c1', tabId: 't1' },
      wake: (onWake: () => void) => {
        wakers.add(onWake)
        return () => wakers.delete(onWake)
      },
      now: () => 1000,
      model: () => 'demo/tour',
      mode: () => undefined,
      agent: () => undefined,
      onChunk: () => undefined,
      onAnswered: () => undefined,
      onChange: () => undefined,
      onError: (error: unknown) => errors.push(error),
      saveDraft: (draft: string) => drafts.push(draft),
      saveAttachments: () => undefined,
      freeFiles: (urls: readonly string[]) => void freed.push(...urls),
      queue: createQueue(place),
      panels: createPanels({ initial: noPanels, isNarrow: () => false, save: () => undefined }),
    }
    return createSessionStore(emptySession('s1', phase), { ...services, agents: openSubAgents('s1', services) })
  }
  const wake = () => {
    for (const waker of new Set(wakers)) waker()
  }
  const fail = async (path: string) => (await next(path)).answer(new TypeError('fetch failed'))

  return {
    requests,
    subAgents,
    replyJson,
    replyIdle,
    replyStream,
    fail,
    openSession,
    wake,
    errors,
    drafts,
    freed,
    picked,
  }
}

/** A new chat whose first message is on its way. */
export function sendFirst(text = 'hello') {
  const server = createFakeServer()
  const session = server.openSession('new')
  void session.send(text)
  return { server, session }
}

/** A new chat that has sent one message, whose answer `a1` has started to stream. */
export async function startRun(text = 'hello') {
  const { server, session } = sendFirst(text)
  const stream = await server.replyStream('/ai/chat?hold=1')
  stream.write(1, { type: 'start', messageId: 'a1' })
  await until(session, ({ run }) => run?.answer != null)
  return { server, session, stream }
}

/** A stored chat whose messages are loaded. The page asks for its stream next. */
export async function openChat(messages: StoredMessage[], rest?: Partial<BranchPage>) {
  const server = createFakeServer()
  const session = server.openSession()
  void session.open()
  await server.replyJson('/ai/sessions/s1/messages', page(messages, rest))
  return { server, session }
}

/** A stored chat without a run. */
export async function openIdleChat(messages: StoredMessage[], rest?: Partial<BranchPage>) {
  const opened = await openChat(messages, rest)
  await opened.server.replyIdle('/ai/chat/s1/stream')
  await until(opened.session, ({ phase, run }) => phase === 'ready' && run === null)
  return opened
}

/** Stored messages, from the person and the model in turn: `u1`, `a1`, `u2`, `a2` and so on. */
export function conversation(...texts: string[]): StoredMessage[] {
  const ids = texts.map((_, i) => `${i % 2 === 0 ? 'u' : 'a'}${Math.floor(i / 2) + 1}`)
  return texts.map((text, i) => message(ids[i] ?? '', i % 2 === 0 ? 'user' : 'assistant', text, ids[i - 1] ?? null))
}

export function page(messages: StoredMessage[], rest: Partial<BranchPage> = {}): BranchPage {
  return {
    leafMessageId: messages.at(-1)?.id ?? null,
    messages,
    siblings: {},
    page: { hasMore: false, before: null },
    ...rest,
  }
}

export function message(
  id: string,
  role: 'user' | 'assistant',
  text: string,
  parentMessageId: string | null,
): StoredMessage {
  return {
    id,
    role,
    parts: [{ type: 'text', text, ...(role === 'assistant' && { state: 'done' as const }) }],
    parentMessageId,
    createdAt: 1,
  }
}

export function until<State>(
  store: { getState(): State; subscribe(listener: () => void): () => void },
  test: (state: State) => boolean,
) {
  return new Promise<State>((resolve) => {
    const check = () => {
      if (!test(store.getState())) return
      unsubscribe()
      resolve(store.getState())
    }
    const unsubscribe = store.subscribe(check)
    check()
  })
}

/** Waits until the state reads as expected. When it never does, the failure shows the last value. */
export async function expectState<State, Value>(
  store: { getState(): State; subscribe(listener: () => void): () => void },
  read: (state: State) => Value,
  expected: Value,
): Promise<void> {
  const isReached = (state: State) => JSON.stringify(read(state)) === JSON.stringify(expected)
  const late = new Promise<void>((resolve) => setTimeout(resolve, 10_000).unref())
  await Promise.race([until(store, isReached), late])
  expect(read(store.getState())).toEqual(expected)
}

/** Fake storage shared by the tabs of one browser. Each call of `tab` opens another tab. */
export function memoryQueueStorage(now: () => number = () => 1000): QueueStorage & { tab: () => QueueStorage } {
  let text: string | null = null
  let turn: Promise<unknown> = Promise.resolve()
  const listeners = new Set<() => void>()
  const tab = (): QueueStorage => {
    let own: (() => void) | undefined
    return {
      now,
      read: () => text,
      write(next) {
        text = next
        for (const listener of listeners) if (listener !== own) listener()
      },
      watch(listener) {
        own = listener
        listeners.add(listener)
      },
      exclusive(work) {
        const done = turn.then(() => work())
        turn = done.catch(() => undefined)
        return done
      },
    }
  }
  return { ...tab(), tab }
}
