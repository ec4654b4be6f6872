import type { StoredMessage } from '@troupe/core/protocol'
import type { Api } from '../api/api.ts'

const pageSize = 500

/** The last `count` messages of the branch that ends with this leaf, oldest first. */
export async function readBranch(api: Api, sessionId: string, leaf: string, count: number): Promise<StoredMessage[]> {
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
