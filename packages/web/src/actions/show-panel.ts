import type { Action } from '../page-tools/action.ts'
import { requestedPanel } from '../page-tools/requested-panel.ts'

/** Shows a file, the output of a background command or the conversation of an agent. */
const showPanel: Action = (input, { panels, agentName, isInSight }) => {
  const request = requestedPanel(input, agentName)
  if (request === undefined) throw new Error('This page has no panel for that. Give "kind" and "target".')
  return { viewKey: panels.open(request, { by: 'tool' }), inSight: isInSight() && !panels.getState().hidden }
}

export default showPanel
