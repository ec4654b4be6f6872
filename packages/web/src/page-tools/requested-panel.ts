import { isRecord, numberIn, textIn } from '../api/read-fields.ts'
import { offeredKinds } from '../panels/offered-kinds.ts'
import type { PanelRequest } from '../state/panels-state.ts'
import { t } from '../texts/t.ts'

export interface PanelRequestContext {
  toolCallId: string
  agentName: (agentId: string) => string | undefined
  chartNamed: (title: string) => string | undefined
}

/** Returns the panel for a `ShowPanel` call. Undefined if the page has none. */
export function toPanelRequest(input: Record<string, unknown>, around: PanelRequestContext): PanelRequest | undefined {
  const kind = textIn(input['kind'])
  const target = textIn(input['target'])
  const title = textIn(input['title'])
  switch (kind) {
    case 'diff':
    case 'chart':
      return isRecord(input['content'])
        ? panelWithContent(kind, input['content'], input, around)
        : shownChart(kind, target, around)
    case 'file':
    case 'preview':
    case 'terminal':
    case 'agent':
      return target === undefined || target === '' ? undefined : panelForTarget(kind, target, input, around)
    default: {
      if (kind === undefined || !offeredKinds.has(kind)) return undefined
      const data = isRecord(input['data']) ? input['data'] : {}
      return {
        kind,
        title: title ?? target ?? kind,
        data: { ...data, ...(target !== undefined && { target }) },
        key: target,
      }
    }
  }
}

function panelForTarget(
  kind: 'file' | 'preview' | 'terminal' | 'agent',
  target: string,
  input: Record<string, unknown>,
  { agentName }: PanelRequestContext,
): PanelRequest {
  const title = textIn(input['title'])
  const line = numberIn(input['line'])
  switch (kind) {
    case 'file': {
      const data = { path: target, line }
      return { kind, key: target, title: title ?? nameOf(target), data }
    }
    case 'preview':
      // A page written by a model runs only at the user's request, because even a sandboxed frame can do DNS lookups.
      return { kind, key: target, title: title ?? nameOf(target), data: { path: target, waits: true } }
    case 'terminal':
      return { kind, title: t.panels.terminal, data: { taskId: target } }
    case 'agent':
      return { kind, key: target, title: title ?? agentName(target) ?? target, data: { agentId: target } }
  }
}

/** Panel for content in the call itself. The same name replaces the earlier content. */
function panelWithContent(
  kind: 'diff' | 'chart',
  content: Record<string, unknown>,
  input: Record<string, unknown>,
  { toolCallId }: PanelRequestContext,
): PanelRequest {
  const [target, title] = [textIn(input['target']), textIn(input['title'])]
  const name = title ?? textIn(content['title']) ?? (target === undefined ? undefined : nameOf(target))
  return {
    kind,
    key: target ?? title ?? toolCallId,
    title: name ?? textIn(content['path']) ?? kind,
    data: kind === 'diff' ? { toolCallId, content } : { option: content['option'], title: name },
  }
}

function shownChart(
  kind: string,
  target: string | undefined,
  { chartNamed }: PanelRequestContext,
): PanelRequest | undefined {
  const toolCallId = kind === 'chart' && target !== undefined ? chartNamed(target) : undefined
  if (toolCallId === undefined || target === undefined) return undefined
  return { kind, key: toolCallId, title: target, data: { toolCallId } }
}

function nameOf(path: string): string {
  return path.split('/').at(-1) || path
}
