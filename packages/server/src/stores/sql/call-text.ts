import { stripVTControlCharacters } from 'node:util'
import type { CallNotes, Part } from '@troupe/core'

type Call = Extract<Part, { toolCallId: string }>

export function isCall(part: Part): part is Call {
  return 'toolCallId' in part
}

/** So much of a call is looked through: a card shows no more of it. */
const maxCallCharacters = 10_000
const maxCallDepth = 6
/** What the page reads of a display and no person sees. */
const hiddenFields = new Set(['kind', 'sha256', 'blob', 'mediaType', 'change', 'status'])

/** What a person sees of a call in its card, opened: its title, what it was given, what it brought back or failed with. */
export function callText(call: Call): string {
  const { display } = (call.toolMetadata as { troupe?: CallNotes } | undefined)?.troupe ?? {}
  const { title, summary, content } = display ?? {}
  const { output, errorText } = call as { output?: unknown; errorText?: unknown }
  const pieces: string[] = []
  let left = maxCallCharacters
  for (const value of [title, summary, call.input, content ?? output, errorText]) gather(value, maxCallDepth)
  return stripVTControlCharacters(pieces.join('\n'))

  function gather(value: unknown, depth: number): void {
    if (left <= 0 || depth === 0) return
    if (typeof value === 'string') {
      if (value === '' || value.startsWith('data:')) return
      pieces.push(value.slice(0, left))
      left -= value.length
    } else if (Array.isArray(value)) {
      for (const item of value) gather(item, depth - 1)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) if (!hiddenFields.has(key)) gather(item, depth - 1)
    }
  }
}
