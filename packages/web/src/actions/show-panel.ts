import { textIn } from '../api/read-fields.ts'
import type { Action } from '../page-tools/actions.ts'
import { toPanelRequest } from '../page-tools/requested-panel.ts'

/** Shows a panel kind that `ShowPanel` declares, or one that this page registered with models. */
const showPanel: Action = async (input, { panels, agentName, findChart, isInSight }, { toolCallId }) => {
  const target = textIn(input['target'])
  const isByTitle = input['kind'] === 'chart' && input['content'] === undefined
  const chart = isByTitle && target !== undefined ? await findChart(target) : undefined
  if (isByTitle && chart === undefined)
    throw new Error('No chart with this title is loaded. Pass its "option" or the path of a JSON file.')
  const request = toPanelRequest(input, { toolCallId, agentName, chartNamed: () => chart })
  if (request === undefined) throw new Error('Unknown panel kind. Use one of the listed kinds.')
  return { viewKey: panels.open(request, { by: 'tool' }), inSight: isInSight() && !panels.getState().hidden }
}

export default showPanel
