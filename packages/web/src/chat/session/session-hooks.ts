import type { StoredMessage } from '@troupe/protocol'
import { useState } from 'react'
import { useStore } from 'zustand'
import { partData, type ToolCall } from './message-parts.ts'
import { useSession, useSessionStore } from './session-context.ts'
import { messageText, openAsks } from './session-state.ts'
import type { ChatSessionStore, SubAgentsState } from './session-types.ts'
import { isAgentActive, readReport, type SubAgent } from './sub-agent.ts'
import { subtree } from './sub-agents-state.ts'

const retained = new WeakMap<ChatSessionStore, Map<string, unknown>>()

/** State that survives unmounting, for example when a row scrolls out of view. */
export function useRetainedState<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const store = useSessionStore()
  const values = retained.get(store) ?? new Map<string, unknown>()
  retained.set(store, values)
  const [value, setValue] = useState((values.get(key) as Value | undefined) ?? initial)
  const keep = (next: Value) => {
    values.set(key, next)
    setValue(next)
  }
  return [value, keep]
}

export function readRetained<Value>(store: ChatSessionStore, key: string): Value | undefined {
  return (retained.get(store)?.get(key) as Value | null | undefined) ?? undefined
}

export function useHasOpenAsk({ toolCallId, running }: ToolCall): boolean {
  return useSession(({ run }) => {
    if (!running || run?.answer == null) return false
    const asks = run.answer.parts.flatMap((part) => partData(part, 'ask') ?? [])
    const open = new Set(openAsks(run.answer))
    return asks.some((ask) => ask.toolCallId === toolCallId && open.has(ask.id))
  })
}

export function useSubAgents<Value>(select: (state: SubAgentsState) => Value): Value {
  return useStore(useSessionStore().agents, select)
}

export function useSubAgent(agentId: string | undefined): SubAgent | undefined {
  return useSubAgents(({ agents }) => (agentId === undefined ? undefined : agents.get(agentId)))
}

/** True if any of these agents, or their sub-agents, is at work. */
export function useAnyAgentActive(agentIds: readonly string[]): boolean {
  return useSubAgents(({ agents, children: below }) =>
    subtree(below, agentIds).some((agentId) => isAgentActive(agents.get(agentId) ?? { status: 'completed' })),
  )
}

export function useAgentNames(agentIds: readonly string[]): string {
  return useSubAgents(({ agents }) => agentIds.map((agentId) => agents.get(agentId)?.name ?? agentId).join(', '))
}

export function useAgentForCall(call: ToolCall): string | undefined {
  const reported = readReport(call.output)?.agentId ?? readReport(call.progress?.last)?.agentId
  return useSubAgents(({ agents }) => {
    if (reported !== undefined) return reported
    for (const agent of agents.values()) if (agent.toolCallId === call.toolCallId) return agent.agentId
    return undefined
  })
}

/** Message sent to an agent, with the ID of the message delivered before it. */
export interface SentMessage {
  id: string
  text: string
  after: string | null
}

/** Returns messages delivered to an agent in order, including steering messages. */
export function deliveredMessages(
  messages: readonly Pick<StoredMessage, 'id' | 'role' | 'parts'>[],
): Pick<SentMessage, 'id' | 'text'>[] {
  return messages.flatMap((message) =>
    message.role === 'user'
      ? { id: message.id, text: messageText(message) }
      : message.parts.flatMap((part) =>
          part.type === 'steering-message'
            ? { id: part.id, text: messageText(part as Pick<StoredMessage, 'parts'>) }
            : [],
        ),
  )
}

/**
 * Returns sent messages that the conversation does not show yet. Compares text, because the server assigns other IDs.
 */
export function undeliveredMessages(
  sent: readonly SentMessage[],
  heard: readonly Pick<SentMessage, 'id' | 'text'>[],
): SentMessage[] {
  const taken = new Set<string>()
  return sent.filter(({ text, after }) => {
    const from = heard.findIndex(({ id }) => id === after) + 1
    const found = heard.slice(from).find((one) => one.text === text && !taken.has(one.id))
    if (found !== undefined) taken.add(found.id)
    return found === undefined
  })
}
