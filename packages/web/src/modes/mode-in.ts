import type { Mode } from '@troupe/core'
import type { Chunk } from '@troupe/core/protocol'
import { partData } from '../chat/data-of.ts'

/** What a chunk says about the mode of a session, if that is what it is about. */
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
