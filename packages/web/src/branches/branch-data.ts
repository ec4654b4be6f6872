import { type StoredMessage, totalUsage } from '@troupe/protocol'
import { useCallback, useEffect, useState } from 'react'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import type { BranchChanges } from '../api/session-types.ts'
import { isToolCall, readToolCall } from '../chat/session/message-parts.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { messageText } from '../chat/session/session-state.ts'
import { noticeError } from '../state/notices.tsx'
import { isNarrowForPanels } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { forkPoint, indexTree, type TreeIndex } from './branch-tree.ts'

/** Tail of a branch, starting where it forks from another branch. */
export interface BranchEnd {
  /** Oldest first. */
  messages: StoredMessage[]
  changes: BranchChanges
}

interface BranchQuery {
  leaf: string
  /** Number of messages only this branch has. */
  count: number
  /** Last shared message, if any. */
  fork: string | undefined
}

const pageSize = 500

export async function readBranch(api: Api, sessionId: string, branch: BranchQuery): Promise<BranchEnd> {
  const { leaf, count, fork } = branch
  const [messages, changes] = await Promise.all([
    readMessages(api, sessionId, leaf, count),
    count === 0 ? { files: [], commands: 0 } : api.changes(sessionId, { leaf, after: fork }),
  ])
  return { messages, changes }
}

async function readMessages(api: Api, sessionId: string, leaf: string, count: number): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = []
  let before: string | undefined
  while (messages.length < count) {
    const limit = Math.min(pageSize, count - messages.length)
    const page = await api.messages(sessionId, { leaf, limit, before })
    messages.unshift(...page.messages)
    if (page.page.before === null) break
    before = page.page.before
  }
  return messages
}

export interface BranchSummary {
  messages: number
  calls: BranchToolCall[]
  files: string[]
  /** Number of commands that may have changed other files. */
  commands: number
  tokens: number
  /** Undefined if no answer reports a cost. */
  cost: number | undefined
  elapsedMs: number
}

interface BranchToolCall {
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

const longest = 20_000

/** Drafts a message that brings another branch's outcome into this one, for the user to edit and send. */
export function mergeText({ messages, changes: { files } }: BranchEnd): string {
  const question = messageText(messages.find(({ role }) => role === 'user')).trim()
  const outcome = messageText(
    messages.findLast((message) => message.role === 'assistant' && messageText(message) !== ''),
  ).trim()
  return [
    ...(question === '' ? [] : [t.branches.mergeIntro, quoted(question)]),
    ...(outcome === '' ? [] : [t.branches.mergeOutcome, quoted(outcome)]),
    ...(files.length === 0 ? [] : [t.branches.mergeFiles, files.map((file) => `- ${file}`).join('\n')]),
    t.branches.mergeAsk,
  ].join('\n\n')
}

function quoted(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest).toWellFormed()} …` : text
  return cut.replaceAll(/^/gm, '> ')
}

/** Shows one branch and appends the other's outcome to the composer draft. */
export function useMerge() {
  const { setDraft, showBranch, getState, panels } = useSessionStore()
  const { api } = useWorkspace()
  return async ({ tree, from, into }: { tree: TreeIndex; from: string; into: string }): Promise<void> => {
    try {
      const { fork, right } = forkPoint(tree, into, from)
      const branch = { leaf: from, count: right.length, fork: fork?.id }
      const text = mergeText(await readBranch(api, getState().sessionId, branch))
      if (getState().messages.at(-1)?.id !== into) await showBranch(into)
      const { draft } = getState()
      setDraft(draft.trim() === '' ? text : `${draft.trimEnd()}\n\n${text}`)
      if (isNarrowForPanels()) panels.hide()
      // Wait until the composer has rendered the new text.
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.composer textarea')?.focus())
    } catch (error) {
      noticeError(error)
    }
  }
}

interface TreeReading {
  tree: TreeIndex | null
  failure: string | null
  again: () => void
}

/** Loads the session's tree and reloads it when messages are added or removed. */
export function useTree(): TreeReading {
  const { api } = useWorkspace()
  const { sessionId } = useSessionStore().getState()
  const stored = useSession((state) => state.messages)
  const isRunning = useSession((state) => state.run !== null)
  const [tree, setTree] = useState<TreeIndex | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (isRunning) return
    let left = false
    api.tree(sessionId).then(
      ({ messages }) => {
        if (left) return
        setTree(indexTree(messages))
        setFailure(null)
      },
      (error: unknown) => {
        if (!left) setFailure(toErrorInfo(error).message)
      },
    )
    return () => {
      left = true
    }
  }, [api, sessionId, stored, isRunning, asked])
  return { tree, failure, again: useCallback(() => setAsked((count) => count + 1), []) }
}
