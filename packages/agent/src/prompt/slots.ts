import type { Part } from '@troupe/protocol'
import type { FileUIPart } from 'ai'

/** The parts of a prompt, all optional. An unknown key becomes a block with the key as its title. */
export interface Slots {
  /** Part of the system message. Maps and lists render as YAML. */
  system?: unknown
  /** The model's persona: a block of the system message, like `rules` and `userInfo`. */
  role?: unknown
  rules?: unknown
  userInfo?: unknown
  /** Developer instructions: a separate system message after `system`. */
  developer?: unknown
  history?: readonly HistoryMessage[]
  /** Tools described as text for the model. Filled by external planning. */
  tools?: unknown
  /** Tool results by purpose. Filled by external planning. */
  actionResults?: unknown
  info?: unknown
  instruct?: unknown
  examples?: unknown
  input?: unknown
  attachment?: Attachment | readonly Attachment[]
  /** A schema, or a description of the answer's form. */
  output?: unknown
  [extra: string]: unknown
}

/** An earlier message of the conversation: text, content parts as providers define them, or stored parts. */
export type HistoryMessage =
  | { role: string; content: string | readonly (Attachment | Record<string, unknown>)[] }
  | { role: string; parts: readonly Part[] }

/** An attachment of the prompt: text, or a file by URL or bytes. */
export type Attachment =
  | string
  | { type: 'text'; text: string }
  | { type: 'file' | 'image'; url: string | URL; mediaType?: string; filename?: string }
  | { type: 'file' | 'image'; data: string | Uint8Array; mediaType: string; filename?: string }
  /** As in messages of the AI SDK and OpenAI. */
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

/** Replaces the given slots and keeps the others. `undefined` removes a slot. */
export function setSlots(slots: Slots, given: Slots): Slots {
  const made: Slots = { ...slots }
  for (const [key, value] of Object.entries(given)) {
    const name = slotName(key)
    if (value === undefined) delete made[name]
    else setOwn(made, name, value)
  }
  return made
}

export function mergeSlots(slots: Slots, given: Slots): Slots {
  const made: Slots = { ...slots }
  for (const [key, value] of Object.entries(given)) {
    const name = slotName(key)
    if (value !== undefined) setOwn(made, name, name === 'output' ? value : mergeValue(getOwn(made, name), value))
  }
  return made
}

/**
 * Merges maps by key, with the later value winning. Appends lists and single values to lists. Replaces anything else.
 * Keeps duplicates.
 */
export function mergeValue(earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier))
    return [...(earlier as unknown[]), ...(Array.isArray(later) ? (later as unknown[]) : [later])]
  if (!isRecord(earlier) || !isRecord(later)) return later
  const made: Record<string, unknown> = { ...earlier }
  for (const [key, value] of Object.entries(later)) setOwn(made, key, mergeValue(getOwn(made, key), value))
  return made
}

/** Empty slots are omitted from the prompt. Zero and false are not empty. */
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

/** A file may contain the key `__proto__`; treat it like any other key. */
function setOwn(map: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true })
}

function getOwn(map: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined
}
