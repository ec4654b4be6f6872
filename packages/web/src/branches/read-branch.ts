import type { StoredMessage } from '@troupe/core/protocol'
import type { Api } from '../api/api.ts'
import type { BranchChanges } from '../api/branch-changes.ts'

/** The end of a branch, from where it parts from another. */
export interface BranchEnd {
  /** Oldest first. */
  messages: StoredMessage[]
  changes: BranchChanges
}

export interface BranchQuery {
  leaf: string
  /** How many messages it has alone. */
  count: number
  /** The last message that it shares, where there is one. */
  fork: string | undefined
}

const pageSize = 500

export async function readBranch(api: Api, sessionId: string, branch: BranchQuery): Promise<BranchEnd> {
  const { leaf, count, fork } = branch
  const [messages, changes] = await Promise.all([
    readMessages(api, sessionId, leaf, count),
    count === 0
      ? { files: [], commands: 0 }
      : api.changes(sessionId, { leaf, ...(fork !== undefined && { after: fork }) }),
  ])
  return { messages, changes }
}

async function readMessages(api: Api, sessionId: string, leaf: string, count: number): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = []
  let before: string | undefined
  while (messages.length < count) {
    const limit = Math.min(pageSize, count - messages.length)
    const page = await api.messages(sessionId, { leaf, limit, ...(before !== undefined && { before }) })
    messages.unshift(...page.messages)
    if (page.page.before === null) break
    before = page.page.before
  }
  return messages
}
