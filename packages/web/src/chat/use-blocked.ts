import { useApp } from '../workspace.ts'

/** Why nothing can be sent, in words that say what to do; null when it can. */
export function useBlocked(): string | null {
  const unreachable = useApp((state) => state.access === 'unreachable')
  const noModels = useApp((state) => state.access === 'open' && state.modelsLoaded && state.models.length === 0)
  const modelsFailure = useApp((state) => state.modelsFailure)
  if (unreachable) return 'The server cannot be reached. Start it again with “npm start”; this page will find it.'
  if (modelsFailure !== null) return `The list of models could not be read: ${modelsFailure}`
  if (noModels) return 'There is no model to answer. Choose “Add a model…” below and set the key of a provider.'
  return null
}
