import { totalUsage } from '@troupe/core/protocol'
import { isToolCall, readToolCall } from '../chat/tool-call.ts'
import type { BranchEnd } from './read-branch.ts'

/** What a branch did from the fork on, its sub-agents included. */
export interface BranchSummary {
  messages: number
  calls: BranchToolCall[]
  /** Files that were changed, each once. */
  files: string[]
  /** How many commands may have changed others. */
  commands: number
  tokens: number
  /** Undefined where no answer says what it cost. */
  cost: number | undefined
  elapsedMs: number
}

export interface BranchToolCall {
  key: string
  title: string
  summary: string | undefined
  failed: boolean
}

export function summarizeBranch({ messages, changes: { files, commands } }: BranchEnd): BranchSummary {
  const calls = messages.flatMap(({ id, parts }) =>
    parts.filter(isToolCall).map((part) => {
      const { title, summary } = readToolCall(part, { progress: undefined, live: false, latest: false })
      return { key: `${id} ${part.toolCallId}`, title, summary, failed: part.state !== 'output-available' }
    }),
  )
  const metadata = messages.map((message) => message.metadata ?? {})
  const totals = metadata.map(totalUsage)
  const costs = totals.flatMap(({ cost }) => cost ?? [])
  return {
    messages: messages.length,
    calls,
    files,
    commands,
    tokens: totals.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    elapsedMs: metadata.reduce((sum, { elapsedMs }) => sum + (elapsedMs ?? 0), 0),
  }
}
