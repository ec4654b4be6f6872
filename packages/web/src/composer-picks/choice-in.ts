import type { AppState } from '../find-session.ts'
import type { Chunk } from '@troupe/core/protocol'
import { partData } from '../chat/data-of.ts'

/** What a command chose for a session, as what it changes of the page's own choices. */
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
