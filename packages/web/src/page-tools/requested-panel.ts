import { numberIn, textIn } from '../displays/parts/read-fields.ts'
import type { PanelRequest } from '../panels/panel.ts'

/** The panel that a call of ShowPanel means; undefined where the page has none for it. */
export function requestedPanel(
  input: Record<string, unknown>,
  agentName: (agentId: string) => string | undefined,
): PanelRequest | undefined {
  const target = textIn(input['target'])
  if (target === undefined || target === '') return undefined
  const title = textIn(input['title'])
  const line = numberIn(input['line'])
  switch (input['kind']) {
    case 'file':
      return {
        kind: 'file',
        key: target,
        title: title ?? target.split('/').at(-1) ?? target,
        data: { path: target, ...(line !== undefined && { line }) },
      }
    case 'preview':
      return {
        kind: 'preview',
        key: target,
        title: title ?? target.split('/').at(-1) ?? target,
        // A page that a model wrote runs when the person wants it: even what is refused to a frame may look up a name.
        data: { path: target, waits: true },
      }
    case 'terminal':
      return { kind: 'terminal', key: target, title: title ?? target, data: { taskId: target } }
    case 'agent':
      return { kind: 'agent', key: target, title: title ?? agentName(target) ?? target, data: { agentId: target } }
    default:
      return undefined
  }
}
