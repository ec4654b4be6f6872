import { valuesAt } from '../output/path.ts'
import { newId } from '../protocol/ids.ts'
import type { Part, StoredMessage } from '../protocol/message.ts'
import type { TurnEnd, TurnResult } from './extension.ts'
import { renderBody } from './render-body.ts'
import { renderMain } from './render-prompt.ts'
import { isEmpty, slotName, type Slots } from './slots.ts'

/** All that is found, or the first that is. */
export type RecordMode = 'first' | 'all'

export interface Recording {
  paths: readonly string[]
  mode: RecordMode
}

export function recordedInput(prompt: Slots, recording: Recording, parent: string | null): StoredMessage {
  const paths = recording.paths.map((path) => path.replace(/^[^./[]+/, slotName))
  const { output: _, ...slots } = prompt
  const chosen = choose(slots, { ...recording, paths })
  const text = chosen ?? (isEmpty(slots.input) ? renderMain(slots, undefined) : renderBody(slots.input))
  return message('user', parent, [{ type: 'text', text }])
}

export function recordedOutput({ result }: TurnEnd, recording: Recording, parent: string): StoredMessage {
  const { data, message: answer } = result as TurnResult<unknown>
  const chosen = choose(data, recording)
  const parts = chosen === undefined ? answer.parts : [{ type: 'text' as const, text: chosen }]
  return { ...message('assistant', parent, parts), ...(answer.metadata !== undefined && { metadata: answer.metadata }) }
}

/** What the paths lead to, as text: one value as it is, several as YAML by path. Undefined when there is nothing. */
function choose(value: unknown, { paths, mode }: Recording): string | undefined {
  const found = paths.flatMap((path) => {
    const values = valuesAt(value, path).filter((entry) => entry.value !== undefined)
    if (values.length === 0) return []
    return [[path, values.length === 1 ? values[0]?.value : values.map((entry) => entry.value)] as const]
  })
  const [first] = found
  if (first === undefined) return undefined
  return renderBody(mode === 'first' || paths.length === 1 ? first[1] : Object.fromEntries(found))
}

function message(role: 'user' | 'assistant', parentMessageId: string | null, parts: Part[]): StoredMessage {
  return { id: newId(), parentMessageId, role, parts, createdAt: Date.now() }
}
