import type { Api } from '../../api/api.ts'
import type { SubAgentRef } from '../../api/session-types.ts'
import { emptySession } from './session-state.ts'
import { createSessionStore } from './session-store.ts'
import type { ChatSessionStore, SessionServices, SubAgents } from './session-types.ts'
import { createSubAgents } from './sub-agents.ts'

export function openSubAgents(sessionId: string, services: Omit<SessionServices, 'agents'>): SubAgents {
  const { api, now, onError } = services
  const agents: SubAgents = createSubAgents(sessionId, { api, now, onError, openConversation })
  return agents

  /** Works like a session through the agent's routes. Sent messages go to the agent. */
  function openConversation(agentId: string): ChatSessionStore {
    const store = createSessionStore(emptySession(sessionId, 'loading', agentId), {
      ...services,
      agents,
      api: agentApi(api, { sessionId, agentId }, () => agents.ownEnded(agentId)),
      onChunk: (chunk) => {
        agents.handleOwnChunk(agentId, chunk)
        services.onChunk(chunk)
      },
      onChange: (cause) => {
        agents.ownEnded(agentId)
        services.onChange(cause)
      },
      saveDraft: () => undefined,
      saveAttachments: () => undefined,
    })
    const tell = async (text: string) => {
      store.setDraft('')
      if (await agents.send(agentId, text)) return
      // Keep text typed in the meantime below it.
      const { draft } = store.getState()
      store.setDraft(draft === '' ? text : `${text}\n\n${draft}`)
    }
    return {
      ...store,
      send: tell,
      steer: tell,
      // The agent reads it at its next step, so no queue is needed.
      enqueue: (text) => void tell(text),
      stop: () => agents.stop(agentId),
      regenerate: async () => void (await agents.retry(agentId)),
    }
  }
}

/** Maps session routes to the routes of one of its agents. */
function agentApi(api: Api, at: SubAgentRef, onIdle: () => void): Api {
  return {
    ...api,
    messages: (_, { before, limit }) => api.subAgentMessages(at, { limit, before }),
    followRun: async (_, after, signal) => {
      const response = await api.followSubAgent(at, after, signal)
      if (response.status === 204) onIdle()
      return response
    },
    // The agent's run is always the last one, so no lookup is needed.
    session: async (id) => {
      const { session } = await api.session(id)
      return { session: { ...session, run: null } }
    },
  }
}
