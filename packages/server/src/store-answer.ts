import type { Message, RunRecord, RunStatus, Store } from '@troupe/core'

/** The answer and the state of its run in one commit. A run that is over leaves no ask open. */
export async function storeAnswer(store: Store, record: RunRecord, message: Message, status: RunStatus): Promise<void> {
  const { sessionId, agentId } = record
  const at = { sessionId, ...(agentId !== null && { agentId }) }
  await store.transaction(async (inside) => {
    const { id, parts, metadata } = message
    const fields = { id, parts, ...(metadata !== undefined && { metadata }) }
    if ((await inside.messages.get(at, id)) !== undefined) await inside.messages.replace(at, fields)
    else {
      const { userMessageId, createdAt } = record
      await inside.messages.add(at, { ...fields, parentMessageId: userMessageId, role: 'assistant', createdAt })
    }
    const over = status !== 'running' && status !== 'waiting'
    await inside.runs.update(record.id, { status, ...(over && { endedAt: Date.now() }) })
    if (over) await inside.asks.closeRun(record.id)
  })
}
