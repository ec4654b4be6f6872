import { ownInput } from './tool-aliases.ts'
import { findTool } from './tool-set.ts'
import { isStringTool, type Tool } from './tool.ts'

/** A parsed call from the model: ready to run, or with an error for the model to read. */
export interface Call {
  toolCallId: string
  toolName: string
  /** Absent if there is no such tool. */
  tool?: Tool
  /** As given by the model, without `actionName` and without defaults. */
  input: unknown
  actionName?: string
  invalid?: string
  repair?: { before: string; after: string }
}

/**
 * Parses a call's arguments. Repairs invalid JSON only if nothing has to be guessed: a code fence, raw line breaks
 * inside strings, an extra comma, JSON inside a JSON string. A truncated call stays an error.
 */
export function parseCall(raw: { toolCallId: string; toolName: string; input: string }, tools: readonly Tool[]): Call {
  const tool = findCalledTool(raw.toolName, tools)
  const parsed = parseJson(raw.input, tool !== undefined && isStringTool(tool))
  const call: Call = {
    toolCallId: raw.toolCallId,
    toolName: tool?.name ?? raw.toolName,
    input: 'value' in parsed ? parsed.value : raw.input,
  }
  if (tool === undefined) {
    call.invalid = `There is no tool "${raw.toolName}". Available tools: ${tools.map((known) => known.name).join(', ') || 'none'}.`
    return call
  }
  call.tool = tool
  if (!('value' in parsed)) {
    call.invalid = `The input of ${tool.name} is not valid JSON (${parsed.problem}). Nothing ran. Send the whole call again.`
    return call
  }
  if (parsed.repaired !== undefined) call.repair = { before: raw.input, after: parsed.repaired }
  if (isStringTool(tool)) call.input = stringInput(parsed.value)
  else call.input = ownInput(tool, takeActionName(parsed.value, call))
  return call
}

/**
 * Finds the tool a model means. Some models prefix a namespace, or append tokens of their own format:
 * `functions.TimeNow`, `TimeNow<|channel|>commentary`, `functions.TimeNow:0`.
 */
export function findCalledTool(name: string, tools: readonly Tool[]): Tool | undefined {
  return findTool(name, tools) ?? findTool(bareName(name), tools)
}

function bareName(name: string): string {
  const bare = name
    .replace(/<\|.*$/s, '')
    .replace(/:\d+$/, '')
    .trim()
  return bare.replace(/^(?:functions?|tools?|default_api|default|antml|namespace)[.:/]/i, '')
}

/** Returns the input with zod defaults applied, or the schema's complaint. */
export function checkInput(tool: Tool, input: unknown): { input: unknown } | { complaint: string } {
  const result = tool.input.safeParse(input)
  if (result.success) return { input: result.data }
  const issues = result.error.issues.map((issue) => `${issue.path.map(String).join('.') || 'input'}: ${issue.message}`)
  return {
    complaint: `The input of ${tool.name} is not valid. ${issues.join('; ')}. Nothing ran. Send a corrected call.`,
  }
}

/** Deeper inputs cannot be stored. */
const maxInputDepth = 500

type Parsed = { value: unknown; repaired?: string } | { problem: string }

function parseJson(text: string, plainTextAllowed: boolean): Parsed {
  if (text.trim() === '') return { value: plainTextAllowed ? '' : {} }
  if (isDeeper(text, maxInputDepth)) return { problem: `it is nested deeper than ${maxInputDepth} levels` }
  try {
    return unnest(JSON.parse(text))
  } catch (error) {
    for (const candidate of repairs(text)) {
      try {
        return { ...unnest(JSON.parse(candidate)), repaired: candidate }
      } catch {
        continue
      }
    }
    if (plainTextAllowed) return { value: text }
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Some models send the object as a JSON string inside JSON. */
function unnest(value: unknown): { value: unknown; repaired?: string } {
  if (typeof value !== 'string' || !/^\s*\{/.test(value)) return { value }
  try {
    return { value: JSON.parse(value) as unknown, repaired: value }
  } catch {
    return { value }
  }
}

function* repairs(text: string): Generator<string> {
  const bare = text
    .trim()
    .replace(/^```[a-z]*\s*\n?/i, '')
    .replace(/\n?```$/, '')
  if (bare !== text) yield bare
  const mended = mendOutsideMeaning(bare)
  if (mended !== bare) yield mended
}

/** Escapes raw control characters inside strings and drops commas before a closing bracket. */
function mendOutsideMeaning(text: string): string {
  let mended = ''
  let inString = false
  let escaped = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (inString) {
      if (escaped) escaped = false
      else if (char === '\\') escaped = true
      else if (char === '"') inString = false
      mended += char < ' ' ? JSON.stringify(char).slice(1, -1) : char
      continue
    }
    if (char === '"') inString = true
    if (char === ',' && /^\s*[}\]]/.test(text.slice(i + 1, i + 200))) continue
    mended += char
  }
  return mended
}

function stringInput(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'input' in value && Object.keys(value).length === 1)
    return value.input
  return value
}

function takeActionName(input: unknown, call: Call): unknown {
  if (typeof input !== 'object' || input === null || !('actionName' in input)) return input
  // Keep the field if the tool's own schema has it.
  const shape = (call.tool?.input as { shape?: Record<string, unknown> } | undefined)?.shape
  if (shape !== undefined && 'actionName' in shape) return input
  const { actionName, ...rest } = input
  if (typeof actionName === 'string') call.actionName = actionName.slice(0, 200)
  return rest
}

/** True if a JSON text is nested deeper than a limit. Builds no values, so it is safe for hostile input. */
export function isDeeper(text: string, limit: number): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i)
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > limit) return true
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
      default:
    }
  }
  return false
}

/** Returns the end of the string that starts here: the first quote preceded by an even number of backslashes. */
function endOfString(text: string, start: number): number {
  let end = start
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before--
    if ((end - 1 - before) % 2 === 0) return end
  }
}

/** The platform handles deeper values, and reports circular ones. */
const maxOutputDepth = 200

/**
 * Copies a value as JSON would, with null for undefined, so that the log returns exactly what was written. Throws if
 * JSON cannot represent it. Copying plain values costs a fraction of a JSON round trip.
 */
export function toJson(value: unknown): unknown {
  return copy(value, 0) ?? null
}

/** Returns undefined if JSON omits the value. */
function copy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value + 0 : null
    case 'object':
      return value === null ? null : copyObject(value, depth)
    case 'bigint':
      return throughText(value)
    default:
      return undefined
  }
}

function copyObject(value: object, depth: number): unknown {
  if (depth > maxOutputDepth) return throughText(value)
  if (Array.isArray(value) && !('toJSON' in value)) {
    return Array.from(value as readonly unknown[], (item) => copy(item, depth + 1) ?? null)
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return throughText(value)
  const made: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return throughText(value)
    const copied = copy(item, depth + 1)
    if (copied !== undefined) made[key] = copied
  }
  return made
}

function throughText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

/**
 * Breaks loops. Refuses a call after `repeats` identical inputs and results in a row, and ends the turn two refusals
 * later. Successes count too, because they cost just as much. A different result resets the count. Polling tools are
 * exempt.
 */
export class RepeatGuard {
  #repeats: number
  #last = ''
  #result: { value: unknown } | undefined
  #count = 0

  constructor(repeats: number) {
    this.#repeats = repeats
  }

  check(call: Pick<Call, 'toolName' | 'input'> & { tool?: Tool | undefined }): string | undefined {
    const signature = signatureOf(call)
    if (signature !== this.#last) this.#result = undefined
    this.#count = signature === this.#last ? this.#count + 1 : 1
    this.#last = signature
    if (call.tool?.polls === true) this.#count = 1
    if (this.#count <= this.#repeats) return undefined
    return `Not run: this call was already made ${this.#count} times in a row with the same result. Try another approach, or tell the user what is missing.`
  }

  saw(call: Pick<Call, 'toolName' | 'input'>, result: unknown): void {
    if (signatureOf(call) !== this.#last) return
    if (this.#result !== undefined && resultKey(result) !== resultKey(this.#result.value)) this.#count = 1
    this.#result = { value: result }
  }

  exhausted(): boolean {
    return this.#count >= this.#repeats + 2
  }
}

function signatureOf({ toolName, input }: Pick<Call, 'toolName' | 'input'>): string {
  return `${toolName} ${JSON.stringify(input)}`
}

/** Ignores durations and start times when comparing results. */
function resultKey(result: unknown): string {
  return JSON.stringify(result, (key, value: unknown) => (/(?:Ms|At)$/.test(key) ? undefined : value)) ?? ''
}
