import type { Action } from '../page-tools/action.ts'
import { requestedPanel } from '../page-tools/requested-panel.ts'

/** Shows one of the kinds that ShowPanel names, or one that this page has told models of. */
const showPanel: Action = (input, { panels, agentName, chartNamed, isInSight }, { toolCallId }) => {
  const request = requestedPanel(input, { toolCallId, agentName, chartNamed })
  if (request === undefined && input['kind'] === 'chart')
    throw new Error('The page has no chart with this title in sight. Give its "option", or the path of a JSON file.')
  if (request === undefined) throw new Error('This page has no panel for that. Use one of the kinds that are named.')
  return { viewKey: panels.open(request, { by: 'tool' }), inSight: isInSight() && !panels.getState().hidden }
}

export default showPanel
