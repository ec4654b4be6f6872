import { NamedError } from '../error.ts'
import { newId } from '../protocol/ids.ts'
import type { StoredMessage } from '../protocol/message.ts'
import type { SessionStore } from './chat-session.ts'

/** The part of a store that chat sessions need, for programs that keep no history beyond their own life. */
export function createMemoryStore(): SessionStore {
  const workspaces = new Map<string, { id: string }>()
  const sessions = new Set<string>()
  const messages = new Map<string, Map<string, StoredMessage>>()
  return {
    workspaces: {
      open(path) {
        const known = workspaces.get(path) ?? { id: newId() }
        workspaces.set(path, known)
        return Promise.resolve({ ...known })
      },
    },
    sessions: {
      get: (id) => Promise.resolve(sessions.has(id) ? { id } : undefined),
      create({ id }) {
        if (sessions.has(id)) return Promise.reject(alreadyExistsError('SessionExists', id))
        sessions.add(id)
        return Promise.resolve()
      },
    },
    messages: {
      add({ sessionId }, message) {
        const session = messages.get(sessionId) ?? new Map<string, StoredMessage>()
        messages.set(sessionId, session)
        if (session.has(message.id)) return Promise.reject(alreadyExistsError('MessageExists', message.id))
        session.set(message.id, structuredClone(message))
        return Promise.resolve()
      },
      chain({ sessionId }, leafId) {
        const chain: StoredMessage[] = []
        const session = messages.get(sessionId)
        for (let next = session?.get(leafId); next !== undefined; next = session?.get(next.parentMessageId ?? '')) {
          if (chain.length > (session?.size ?? 0)) break
          chain.unshift(structuredClone(next))
        }
        return Promise.resolve(chain)
      },
      latestLeaf: ({ sessionId }) => Promise.resolve([...(messages.get(sessionId)?.keys() ?? [])].at(-1)),
    },
  }
}

function alreadyExistsError(name: string, id: string): NamedError {
  return new NamedError(name, `"${id}" is there already.`, { status: 409, data: { id } })
}
