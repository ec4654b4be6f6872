import {
  type CallNotes,
  dataParts,
  type DataParts,
  type Part,
  splitAfterStep,
  stepNumbers,
  type StoredMessage,
} from '@troupe/protocol'

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

/** Shorter results stay: a pointer would hardly be shorter. */
const minTrimLength = 1000

/**
 * The messages with old results of tools as pointers to the files that hold them, up to the step that the newest
 * `data-trim` names. What the tree holds is not touched.
 */
export function applyTrim(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const found = newestTrim(messages)
  if (found === undefined) return messages
  const { index, upTo, folder } = found
  return messages.map((message, i) => {
    if (i > index || message.role !== 'assistant') return message
    return { ...message, parts: trimmedParts(message.parts, i < index ? Infinity : upTo.step, folder) }
  })
}

/** Results that a trim up to here would set aside, with the files that they go to. */
export function trimmableResults(
  parts: readonly Part[],
  upToStep: number,
  folder: string,
): { toolCallId: string; path: string; text: string }[] {
  const found: { toolCallId: string; path: string; text: string }[] = []
  trimmedParts(parts, upToStep, folder, (toolCallId, path, text) => found.push({ toolCallId, path, text }))
  return found
}

function trimmedParts(
  parts: readonly Part[],
  upToStep: number,
  folder: string,
  onTrimmed?: (toolCallId: string, path: string, text: string) => void,
): Part[] {
  const steps = stepNumbers(parts)
  return parts.map((part, index) => {
    if (
      (steps[index] as number) > upToStep ||
      !('toolCallId' in part) ||
      !('state' in part) ||
      part.state !== 'output-available'
    )
      return part
    const text = resultText(part)
    if (text.length <= minTrimLength) return part
    const path = `${folder}/${fileName(part.toolCallId)}`
    onTrimmed?.(part.toolCallId, path, text)
    return withText(
      part,
      `[${text.length} characters of this result were set aside. Read "${path}" where you need them.]`,
    )
  })
}

function fileName(toolCallId: string): string {
  return `set-aside-${toolCallId.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 120)}.txt`
}

function resultText(part: Part): string {
  const { output, toolMetadata } = part as { output?: unknown; toolMetadata?: { troupe?: CallNotes } }
  const text = toolMetadata?.troupe?.modelText ?? output
  return typeof text === 'string' ? text : (JSON.stringify(text) ?? '')
}

function withText(part: Part, modelText: string): Part {
  const { toolMetadata } = part as { toolMetadata?: { troupe?: CallNotes } }
  return { ...part, toolMetadata: { ...toolMetadata, troupe: { ...toolMetadata?.troupe, modelText } } } as Part
}

function newestTrim(messages: readonly PromptMessage[]): (DataParts['trim'] & { index: number }) | undefined {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      const data = part.type === 'data-trim' ? dataParts.trim.schema.safeParse(part.data).data : undefined
      const index = data === undefined ? -1 : messages.findIndex(({ id }) => id === data.upTo.messageId)
      if (data !== undefined && index !== -1) return { ...data, index }
    }
  }
  return undefined
}
