import { PanelRightOpen } from 'lucide-react'
import { use } from 'react'
import { isRecord, numberIn, textIn, webAddress } from '../api/read-fields.ts'
import type { ToolCall } from '../chat/session/message-parts.ts'
import { SessionContext } from '../chat/session/session-context.ts'
import type { PanelRequest } from '../state/panels-state.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'

export function OpenInPanel({ call }: { call: ToolCall }) {
  const store = use(SessionContext)
  const request = panelForCall(call)
  if (store === null || request === undefined) return null
  return (
    <IconButton className="tool-open-panel" label={t.panels.openInPanel} onClick={() => store.panels.open(request)}>
      <PanelRightOpen />
    </IconButton>
  )
}

export function OpenFileInPanel({ path, line }: { path: string; line?: number | undefined }) {
  const store = use(SessionContext)
  if (store === null || path === '') return null
  const title = path.split('/').at(-1) || path
  const data = { path, line }
  return (
    <IconButton
      className="open-file"
      label={`${t.panels.openInPanel}: ${path}`}
      onClick={() => store.panels.open({ kind: 'file', key: path, title, data })}
    >
      <PanelRightOpen />
    </IconButton>
  )
}

const maxContentLength = 50_000

/** Returns the panel for a call's result. Undefined for most calls. */
export function panelForCall({ toolCallId, notes, state }: ToolCall): PanelRequest | undefined {
  const content = notes.display?.content
  if (state !== 'output-available' || !isRecord(content)) return undefined
  const path = textIn(content['path'])
  switch (content['kind']) {
    case 'file': {
      if (path === undefined) return undefined
      const line = numberIn(content['from'])
      return {
        kind: 'file',
        key: path,
        title: fileName(path),
        data: { path, line: line !== undefined && line > 1 ? line : undefined },
      }
    }
    case 'diff':
    case 'patch': {
      const isSmall = JSON.stringify(content).length <= maxContentLength
      const title = path === undefined ? (notes.display?.title ?? toolCallId) : fileName(path)
      return { kind: 'diff', key: toolCallId, title, data: { toolCallId, content: isSmall ? content : undefined } }
    }
    case 'terminal': {
      const taskId = textIn(content['taskId'])
      if (taskId === undefined) return undefined
      return { kind: 'terminal', title: t.panels.terminal, data: { taskId } }
    }
    case 'page': {
      const address = webAddress(content['url'])
      if (address === undefined) return undefined
      const title = textIn(content['title'])?.trim() || address.host
      return { kind: 'browser', key: address.href, title, data: { url: address.href } }
    }
    default:
      return undefined
  }
}

function fileName(path: string): string {
  return path.split('/').at(-1) || path
}
