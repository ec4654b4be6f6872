import type { Mode, Session, SessionRule, Store } from '@troupe/core'

/** Mode and rules of a session. */
export type Grants = Pick<Session, 'mode' | 'rules'>

/** What the person has set for each session, at hand for every call; the store has it first. */
export interface SessionGrants {
  of(session: Session): Grants
  setMode(sessionId: string, mode: Mode): Promise<Session>
  /** With a store: as part of its transaction; `refresh` then makes it hold. */
  setRules(sessionId: string, change: (rules: SessionRule[]) => SessionRule[], inside?: Store): Promise<void>
  refresh(sessionId: string): Promise<void>
  forget(sessionId: string): void
}

export function createSessionGrants(store: Store): SessionGrants {
  /** Those that have changed since this process began. */
  const changed = new Map<string, Grants>()

  function take(session: Session): Session {
    changed.set(session.id, { mode: session.mode, rules: session.rules })
    return session
  }

  async function refresh(sessionId: string): Promise<void> {
    const session = await store.sessions.get(sessionId)
    if (session !== undefined) take(session)
  }

  return {
    of: (session) => changed.get(session.id) ?? session,
    setMode: async (sessionId, mode) => take(await store.sessions.update(sessionId, { mode })),
    async setRules(sessionId, change, inside) {
      const write = async (to: Store): Promise<void> => {
        const session = await to.sessions.get(sessionId)
        await to.sessions.update(sessionId, { rules: change(session?.rules ?? []) })
      }
      if (inside !== undefined) return write(inside)
      await store.transaction(write)
      await refresh(sessionId)
    },
    refresh,
    forget: (sessionId) => void changed.delete(sessionId),
  }
}
