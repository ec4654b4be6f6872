import { numberIn, textIn } from '../displays/parts/read-fields.ts'
import type { Action } from '../page-tools/action.ts'
import type { PanelRequest } from '../panels/panel.ts'

/** Shows a file, the output of a background command or the conversation of an agent. */
const showPanel: Action = (input, { panels, agentName, isInSight }) => {
  const kind = textIn(input['kind'])
  const target = textIn(input['target'])
  if (target === undefined || target === '') throw new Error('Say what is to be shown in "target".')
  const title = textIn(input['title'])
  const line = numberIn(input['line'])
  const requests: Record<string, PanelRequest> = {
    file: {
      kind: 'file',
      key: target,
      title: title ?? target.split('/').at(-1) ?? target,
      data: { path: target, ...(line !== undefined && { line }) },
    },
    terminal: { kind: 'terminal', key: target, title: title ?? target, data: { taskId: target } },
    agent: { kind: 'agent', key: target, title: title ?? agentName(target) ?? target, data: { agentId: target } },
  }
  const request = requests[kind ?? '']
  if (request === undefined) throw new Error(`This page has no panel of the kind "${kind}".`)
  return { viewKey: panels.open(request, { by: 'tool' }), inSight: isInSight() && !panels.getState().hidden }
}

export default showPanel
