import { dataParts, type DataParts } from '../protocol/data-parts.ts'
import type { Part, StoredMessage } from '../protocol/message.ts'
import { splitAfterStep } from '../protocol/steps.ts'

/** What a projection is made from. Only messages with an id can be compacted up to. */
export type PromptMessage = Pick<StoredMessage, 'role' | 'parts' | 'metadata'> & { id?: string }

type Compaction = DataParts['compaction']

/**
 * The messages as a model is told them: everything up to the step that the newest compaction names is its summary, said
 * as from the person. Instructions at the start stay. A compaction that was switched `off`, or that names no message of
 * this branch, is as if it had never been.
 */
export function applyCompactions(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const found = newestCompaction(messages)
  if (found === undefined) return messages
  const { index, compaction } = found
  const instructions = messages.findIndex(({ role }) => role !== 'system')
  const talk = instructions === -1 ? messages.length : instructions
  const last = messages[index] as PromptMessage
  const summary: Part = { type: 'text', text: compaction.summary }
  return [
    ...messages.slice(0, talk),
    { role: 'user', parts: [summary] },
    ...(last.role === 'assistant' ? [{ ...last, parts: splitAfterStep(last.parts, compaction.upTo.step).after }] : []),
    ...messages.slice(Math.max(index + 1, talk)),
  ]
}

function newestCompaction(messages: readonly PromptMessage[]): { index: number; compaction: Compaction } | undefined {
  const compactions = new Map<string, Compaction>()
  for (const { parts } of messages) {
    for (const part of parts) {
      const data = part.type === 'data-compaction' ? dataParts.compaction.schema.safeParse(part.data).data : undefined
      if (data === undefined) continue
      // One that is switched on again is the newest.
      compactions.delete(data.id)
      compactions.set(data.id, data)
    }
  }
  for (const compaction of [...compactions.values()].toReversed()) {
    const index = messages.findIndex(({ id }) => id === compaction.upTo.messageId)
    if (compaction.off !== true && index !== -1) return { index, compaction }
  }
  return undefined
}
