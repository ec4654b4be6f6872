import type { AppState } from '../find-session.ts'
import type { Mode } from '@troupe/core'
import { findSession } from '../find-session.ts'

/** What the session in sight is in: chosen here and on its way, the server's word, what new sessions begin in. */
export function currentMode(state: AppState): Mode {
  const { sessionId, chosenModes, permissions } = state
  return chosenModes[sessionId] ?? findSession(state, sessionId)?.mode ?? permissions?.mode ?? 'default'
}

/** Those that a person may choose here. */
export function availableModes({ bypass }: { bypass: boolean }): Mode[] {
  return bypass ? [...cycledModes, 'bypass'] : [...cycledModes]
}

/** The one in which nothing asks is never reached by a key that is pressed too often. */
const cycledModes = ['default', 'accept-edits', 'plan'] as const satisfies Mode[]

export function nextMode(mode: Mode): Mode {
  const index = cycledModes.findIndex((one) => one === mode)
  return cycledModes[(index + 1) % cycledModes.length] ?? 'default'
}
