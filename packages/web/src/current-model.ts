import type { AppState } from './find-session.ts'
import type { KeyValueStorage } from './api/kept.ts'
import { findSession } from './find-session.ts'

export const chosenModelKey = 'troupe.model'

/** The model that the session in sight uses next: chosen here, chosen before, chosen for another session, the server's. */
export function currentModel(state: AppState, kept: KeyValueStorage): string | undefined {
  const { sessionId, chosenModels, models, defaultModel } = state
  const candidates = [
    chosenModels[sessionId],
    findSession(state, sessionId)?.model,
    kept.get(chosenModelKey),
    defaultModel,
  ]
  const listed = new Set(models.map(({ ref }) => ref))
  return candidates.find((ref) => ref != null && listed.has(ref)) ?? models[0]?.ref
}
