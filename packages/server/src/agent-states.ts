import path from 'node:path'
import { createAgentState, disposeAgentState, openUndoFolder, type AgentState, type Session } from '@troupe/core'

/** What the agents of each session remember while this process lives. */
export interface AgentStates {
  of(session: Session, workspace: { path: string }): AgentState
  /** Ends the background commands of a session and forgets it. */
  drop(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function createAgentStates(home: string): AgentStates {
  const states = new Map<string, AgentState>()
  const undo = openUndoFolder(path.join(home, 'undo'))

  return {
    of(session, workspace) {
      const known = states.get(session.id)
      if (known !== undefined) return known
      const outputFolder = path.join(home, 'sessions', session.id, 'output')
      const state = createAgentState({ workspace: workspace.path, outputFolder, undo })
      states.set(session.id, state)
      return state
    },
    drop,
    async close() {
      await Promise.all([...states.keys()].map(drop))
    },
  }

  async function drop(sessionId: string): Promise<void> {
    const state = states.get(sessionId)
    states.delete(sessionId)
    if (state !== undefined) await disposeAgentState(state)
  }
}
