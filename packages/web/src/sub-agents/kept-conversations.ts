import type { ChatSessionStore } from '../chat/session-services.ts'

const most = 6

/** The conversations that were looked at last, opened when they are first wanted. Those in use are never let go. */
export function createConversationCache(
  open: (agentId: string) => ChatSessionStore,
  isUsed: (agentId: string) => boolean,
) {
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

  /** Its stream is let go. */
  function close(agentId: string): void {
    kept.get(agentId)?.close()
  }

  function closeAll(): void {
    for (const one of kept.values()) one.close()
  }
}
