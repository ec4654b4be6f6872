import path from 'node:path'
import {
  createAgentState,
  createProcessPool,
  disposeAgentState,
  openUndoFolder,
  type AgentState,
  type Sandbox,
  type Session,
  type Task,
} from '@troupe/core'

export interface AgentStatesOptions {
  sandbox?: Sandbox | undefined
  /** How long what commands need stays ready for the next one. */
  idleMs?: number | undefined
}

/** What the agents of each session remember while this process lives. */
export interface AgentStates {
  /** With an agent id: what that sub-agent remembers. Its background commands are its own, undo is the session's. */
  of(session: Pick<Session, 'id'>, workspace: { path: string; trusted?: boolean }, agentId?: string): AgentState
  /** Commands in the background, of the session and of its sub-agents. */
  tasks(sessionId: string): Task[]
  dropAgent(sessionId: string, agentId: string): Promise<void>
  /** Ends the background commands of a session and forgets it, with what an undo would have needed. */
  drop(sessionId: string): Promise<void>
  close(): Promise<void>
}

export function createAgentStates(home: string, { sandbox, idleMs }: AgentStatesOptions = {}): AgentStates {
  const states = new Map<string, AgentState>()
  const places = new Map<string, string>()
  const undo = openUndoFolder(path.join(home, 'undo'))
  const pool = createProcessPool(idleMs === undefined ? {} : { idleMs })

  return {
    of(session, workspace, agentId) {
      const key = stateKey(session.id, agentId)
      const known = states.get(key)
      if (known !== undefined && places.get(key) === workspace.path) {
        if (workspace.trusted !== undefined) known.readsNotes = workspace.trusted
        return known
      }
      // Somebody used the id elsewhere: what could be reached from there is not reached from here.
      if (known !== undefined) disposeAgentState(known).catch(() => undefined)
      const outputFolder = path.join(home, 'sessions', session.id, 'output')
      const state = createAgentState({
        workspace: workspace.path,
        outputFolder,
        jsxFolder: path.join(home, 'sessions', session.id, 'jsx'),
        undo,
        pool,
        ...(sandbox !== undefined && { sandbox }),
      })
      if (workspace.trusted !== undefined) state.readsNotes = workspace.trusted
      // Those of the workspace itself are in the preface.
      for (const root of state.roots) state.shownNotes.add(root)
      states.set(key, state)
      places.set(key, workspace.path)
      return state
    },
    tasks: (sessionId) => keysOf(sessionId).flatMap((key) => states.get(key)?.tasks.list() ?? []),
    dropAgent: (sessionId, agentId) => dropState(stateKey(sessionId, agentId)),
    async drop(sessionId) {
      await Promise.all(keysOf(sessionId).map(dropState))
      await undo.forget(sessionId)
    },
    async close() {
      await Promise.all([...states.keys()].map(dropState))
      pool.close()
    },
  }

  function keysOf(sessionId: string): string[] {
    return [...states.keys()].filter((key) => key === sessionId || key.startsWith(`${sessionId}/`))
  }

  async function dropState(key: string): Promise<void> {
    const state = states.get(key)
    states.delete(key)
    places.delete(key)
    if (state !== undefined) await disposeAgentState(state)
  }
}

function stateKey(sessionId: string, agentId?: string): string {
  return agentId === undefined ? sessionId : `${sessionId}/${agentId}`
}
