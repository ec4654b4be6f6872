import { valuesAt } from '../output/path.ts'
import { newId } from '../protocol/ids.ts'
import type { Part, StoredMessage } from '../protocol/message.ts'
import type { TurnEnd, TurnResult } from './extension.ts'
import { renderBody } from './render-body.ts'
import { attachmentParts, renderMain } from './render-prompt.ts'
import { isEmpty, slotName, type Slots } from './slots.ts'

/** All that is found, or the first that is. */
export type RecordMode = 'first' | 'all'

export interface Recording {
  paths: readonly string[]
  mode: RecordMode
}

/** Attachments stay files: they come with the default, or where the slot itself is among the paths. */
export function recordedInput(prompt: Slots, { paths, mode }: Recording, parent: string | null): StoredMessage {
  const named = paths.map((path) => path.replace(/^[^./[]+/, slotName))
  const { output: _, attachment, ...slots } = prompt
  const files = paths.length === 0 || named.includes('attachment') ? attachmentParts(prompt) : []
  const others = named.filter((path) => path !== 'attachment')
  const chosen = selectRecorded({ ...slots, attachment }, { paths: others, mode })
  if (chosen === undefined && files.length > 0 && others.length < named.length) return newMessage('user', parent, files)
  const text = chosen ?? (isEmpty(slots.input) ? renderMain(slots, undefined) : renderBody(slots.input))
  const texts: Part[] = text === '' && files.length > 0 ? [] : [{ type: 'text', text }]
  return newMessage('user', parent, [...texts, ...files])
}

export function recordedOutput({ result }: TurnEnd, recording: Recording, parent: string): StoredMessage {
  const { data, message: answer } = result as TurnResult<unknown>
  const chosen = selectRecorded(data, recording)
  const parts = chosen === undefined ? answer.parts : [{ type: 'text' as const, text: chosen }]
  return {
    ...newMessage('assistant', parent, parts),
    ...(answer.metadata !== undefined && { metadata: answer.metadata }),
  }
}

/** What the paths lead to, as text: one value as it is, several as YAML by path. Undefined when there is nothing. */
function selectRecorded(value: unknown, { paths, mode }: Recording): string | undefined {
  const found = paths.flatMap((path) => {
    const values = valuesAt(value, path).filter((entry) => entry.value !== undefined)
    if (values.length === 0) return []
    return [[path, values.length === 1 ? values[0]?.value : values.map((entry) => entry.value)] as const]
  })
  const [first] = found
  if (first === undefined) return undefined
  return renderBody(mode === 'first' || paths.length === 1 ? first[1] : Object.fromEntries(found))
}

function newMessage(role: 'user' | 'assistant', parentMessageId: string | null, parts: Part[]): StoredMessage {
  return { id: newId(), parentMessageId, role, parts, createdAt: Date.now() }
}
