import type { AppState } from '../find-session.ts'
import type { StoreApi } from 'zustand/vanilla'
import { findSession } from '../find-session.ts'

export interface AgentActions {
  /** Whom the new session in sight is to talk to; null for the master. */
  chooseAgent: (name: string | null) => void
  /** What was chosen for a session that the server does not have yet. */
  untoldAgent: (sessionId: string) => string | undefined
}

export function createAgentActions({ getState, setState }: StoreApi<AppState>): AgentActions {
  return { chooseAgent, untoldAgent }

  function chooseAgent(name: string | null): void {
    setState(({ chosenAgents, sessionId }) => {
      const { [sessionId]: _, ...others } = chosenAgents
      return { chosenAgents: name === null ? others : { ...others, [sessionId]: name } }
    })
  }

  function untoldAgent(sessionId: string): string | undefined {
    return findSession(getState(), sessionId) === undefined ? getState().chosenAgents[sessionId] : undefined
  }
}
