import type { StoredMessage } from '@troupe/core/protocol'
import { isToolCall, readToolCall } from '../chat/tool-call.ts'
import { isRecord, recordsIn, textIn } from '../displays/parts/read-fields.ts'

/** What a branch did from the fork on. */
export interface BranchSummary {
  messages: number
  calls: CalledTool[]
  /** Files that were changed, each once. */
  files: string[]
  tokens: number
  /** Undefined where no answer says what it cost. */
  cost: number | undefined
  elapsedMs: number
}

export interface CalledTool {
  key: string
  title: string
  summary: string | undefined
  failed: boolean
}

export function summariseBranch(messages: readonly StoredMessage[]): BranchSummary {
  const calls = messages.flatMap(({ id, parts }) =>
    parts.filter(isToolCall).map((part) => {
      const call = readToolCall(part, { progress: undefined, live: false, latest: false })
      return { key: `${id} ${part.toolCallId}`, call, failed: part.state !== 'output-available' }
    }),
  )
  const metadata = messages.map((message) => message.metadata ?? {})
  const costs = metadata.flatMap(({ cost }) => cost ?? [])
  return {
    messages: messages.length,
    calls: calls.map(({ key, call: { title, summary }, failed }) => ({ key, title, summary, failed })),
    files: [...new Set(calls.flatMap(({ call, failed }) => (failed ? [] : changedFiles(call.notes.display?.content))))],
    tokens: metadata.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    elapsedMs: metadata.reduce((sum, { elapsedMs }) => sum + (elapsedMs ?? 0), 0),
  }
}

/** Files that a result shows as changed: a diff, or a patch of several. */
function changedFiles(content: unknown): string[] {
  if (!isRecord(content)) return []
  if (content['kind'] === 'diff') return [textIn(content['path'])].filter((path) => path !== undefined)
  if (content['kind'] === 'patch') return recordsIn(content['files']).flatMap((file) => textIn(file['path']) ?? [])
  return []
}
