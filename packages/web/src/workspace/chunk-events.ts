import type { Mode } from '@troupe/core'
import type { Chunk } from '@troupe/protocol'
import { partData } from '../chat/session/message-parts.ts'
import type { AppState } from './app-state.ts'

export function readSessionChoice(
  chunk: Chunk,
  { chosenModels, chosenAgents }: AppState,
): Partial<Pick<AppState, 'chosenModels' | 'chosenAgents'>> | undefined {
  const event = partData(chunk, 'ui-event')
  const { sessionId, model, agent } = (event?.data ?? {}) as { sessionId?: string; model?: string; agent?: string }
  if (sessionId === undefined) return undefined
  if (event?.name === 'session-model' && model !== undefined)
    return { chosenModels: { ...chosenModels, [sessionId]: model } }
  if (event?.name === 'session-agent' && agent !== undefined)
    return { chosenAgents: { ...chosenAgents, [sessionId]: agent } }
  return undefined
}

/** True if the chunk opens or closes an ask, including those of sub-agents. */
export function affectsAsks(chunk: Chunk): boolean {
  if (chunk.type === 'tool-approval-request' || chunk.type === 'tool-approval-response') return true
  if (chunk.type === 'data-ask' || chunk.type === 'data-ask-answer') return true
  return partData(chunk, 'sub-agent-chunk')?.chunks.some((inner) => affectsAsks(inner as Chunk)) === true
}

/** Returns the page call that the chunk announces, if any, including those of sub-agents. */
export function readPageCall(chunk: Chunk): { toolCallId: string } | undefined {
  const ask = partData(chunk, 'ask')
  if (ask?.kind === 'browser') return { toolCallId: ask.toolCallId }
  for (const inner of partData(chunk, 'sub-agent-chunk')?.chunks ?? []) {
    const found = readPageCall(inner as Chunk)
    if (found !== undefined) return found
  }
  return undefined
}

export function readModeChange(chunk: Chunk): { sessionId: string; mode: Mode } | undefined {
  const event = partData(chunk, 'ui-event')
  if (event?.name !== 'session-mode') return undefined
  const { sessionId, mode } = (event.data ?? {}) as Record<string, unknown>
  return typeof sessionId === 'string' && isMode(mode) ? { sessionId, mode } : undefined
}

const modes: Record<Mode, true> = { default: true, 'accept-edits': true, plan: true, bypass: true }

function isMode(mode: unknown): mode is Mode {
  return typeof mode === 'string' && Object.hasOwn(modes, mode)
}
