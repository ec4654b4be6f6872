import { useMemo } from 'react'
import { useStore } from 'zustand'
import { isAgentActive } from '../chat/session/sub-agent.ts'
import { frontPanel } from '../state/panels-state.ts'
import { t } from '../texts/t.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'

export function useCurrentSession() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  return useMemo(() => workspace.session(sessionId), [workspace, sessionId])
}

/** Number of asks in other chats than the current one. */
export function useAsksElsewhere(): number {
  return useApp(({ asks, sessionId }) => asks.filter((ask) => ask.sessionId !== sessionId).length)
}

export function useAgentsOfChat() {
  const store = useCurrentSession()
  const count = useStore(store.agents, (state) => state.agents.size)
  const working = useStore(store.agents, (state) => [...state.agents.values()].filter(isAgentActive).length)
  const isOpen = useStore(store.panels, (state) => !state.hidden && frontPanel(state)?.kind === 'agent')
  return { store, count, working, isOpen }
}

/** `label` names what opening or hiding the panels does now. */
export function usePanelsOfChat() {
  const { panels } = useCurrentSession()
  const isNew = useApp((state) => state.isNew)
  const count = useStore(panels, (state) => state.panels.length)
  const hidden = useStore(panels, (state) => state.hidden)
  const label = count === 0 ? t.panels.openAny : hidden ? t.panels.showAll(count) : t.panels.hideAll
  return { panels, isOffered: !isNew || count > 0, label }
}
