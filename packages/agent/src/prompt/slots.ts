import type { Part } from '@troupe/protocol'
import type { FileUIPart } from 'ai'

/**
 * What a prompt is made of. Everything is optional; a key that is not named here becomes a block of its own, titled
 * with the key.
 */
export interface Slots {
  /** Goes into the system message; maps and lists as YAML. */
  system?: unknown
  /** Who the model is; a block of the system message, like `rules` and `userInfo`. */
  role?: unknown
  rules?: unknown
  userInfo?: unknown
  /** Directions of the developer: a system message of its own, after `system`. */
  developer?: unknown
  history?: readonly HistoryMessage[]
  /** Tools as the model reads them in the text. Filled by external planning. */
  tools?: unknown
  /** What tools brought back, by purpose. Filled by external planning. */
  actionResults?: unknown
  info?: unknown
  instruct?: unknown
  examples?: unknown
  input?: unknown
  attachment?: Attachment | readonly Attachment[]
  /** A schema, or words about the form of the answer. */
  output?: unknown
  [extra: string]: unknown
}

/** A message of the conversation before this turn: text, content parts as providers have them, or stored parts. */
export type HistoryMessage =
  | { role: string; content: string | readonly (Attachment | Record<string, unknown>)[] }
  | { role: string; parts: readonly Part[] }

/** Something that goes along with the prompt: text, or a file by its address or bytes. */
export type Attachment =
  | string
  | { type: 'text'; text: string }
  | { type: 'file' | 'image'; url: string | URL; mediaType?: string; filename?: string }
  | { type: 'file' | 'image'; data: string | Uint8Array; mediaType: string; filename?: string }
  /** As the AI SDK's messages and OpenAI's have it. */
  | { type: 'image'; image: string | URL | Uint8Array; mediaType?: string }
  | { type: 'image_url'; image_url: string | { url: string } }
  | FileUIPart

/** The standard slots; every other key is an extra block. */
const standard = new Set([
  'system',
  'role',
  'rules',
  'userInfo',
  'developer',
  'history',
  'tools',
  'actionResults',
  'info',
  'instruct',
  'examples',
  'input',
  'attachment',
  'output',
])

/** Spellings of prompt files and of other libraries. */
const spellings: Readonly<Record<string, string>> = {
  rule: 'rules',
  user_info: 'userInfo',
  chat_history: 'history',
  chatHistory: 'history',
  action_results: 'actionResults',
  attachments: 'attachment',
}

export function slotName(key: string): string {
  return Object.hasOwn(spellings, key) ? (spellings[key] as string) : key
}

export function isExtra(key: string): boolean {
  return !standard.has(key)
}

/** The slots given replace those of the same name; the others stay. `undefined` takes a slot away. */
export function setSlots(slots: Slots, given: Slots): Slots {
  const made: Slots = { ...slots }
  for (const [key, value] of Object.entries(given)) {
    const name = slotName(key)
    if (value === undefined) delete made[name]
    else setOwn(made, name, value)
  }
  return made
}

/** The slots given are merged into those of the same name, see `mergeValue`. */
export function mergeSlots(slots: Slots, given: Slots): Slots {
  const made: Slots = { ...slots }
  for (const [key, value] of Object.entries(given)) {
    const name = slotName(key)
    if (value !== undefined) setOwn(made, name, name === 'output' ? value : mergeValue(getOwn(made, name), value))
  }
  return made
}

/**
 * Two maps become one, key by key, the later winning; a list is appended to a list, and so is a single value; anything
 * else is replaced by what comes later. Nothing is left out as a duplicate.
 */
export function mergeValue(earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier))
    return [...(earlier as unknown[]), ...(Array.isArray(later) ? (later as unknown[]) : [later])]
  if (!isRecord(earlier) || !isRecord(later)) return later
  const made: Record<string, unknown> = { ...earlier }
  for (const [key, value] of Object.entries(later)) setOwn(made, key, mergeValue(getOwn(made, key), value))
  return made
}

/** A slot with nothing in it is left out of the prompt. Zero and false are something. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A key of a file may be `__proto__`: it is a key like any other. */
function setOwn(map: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true })
}

function getOwn(map: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined
}
