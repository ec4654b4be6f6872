import { readFileSync, statSync } from 'node:fs'
import { isRecord, slotName, type Slots } from '../prompt/slots.ts'
import {
  type Fail,
  failInFile,
  type Mappings,
  type ParsedSource,
  parseJson5,
  parseYaml,
  positionIn,
  promptFileError,
  PromptSyntaxError,
  type SourcePosition,
  substitute,
} from './parse-source.ts'
import { parseTypeExpression, readOutput } from './read-output.ts'

export interface PromptFileOptions {
  /** Values for `${name}` in keys, values and arguments. */
  mappings?: Mappings
  /** Path of the prompt within the file: `prompts.summary`. */
  keyPath?: string
}

export type PromptAction =
  | { type: 'agent'; slots: Slots }
  | { type: 'turn'; slots: Slots }
  | { type: 'alias'; method: string; args: unknown[]; named: boolean; fail: (message: string) => never }

/** Loads a file, or parses the argument as text if no such file exists. Errors name the file, line and key. */
export function loadPrompt(pathOrText: string, format: 'yaml' | 'json', options: PromptFileOptions): PromptAction[] {
  const { file, text } = readSource(pathOrText, format)
  const fail = failInFile(file)
  const read = parse(text, format, file)
  const { value, place } = find(substitute(read, options.mappings ?? {}), options.keyPath, fail)
  if (!isRecord(value)) return fail('a prompt must be a map of keys', place, options.keyPath ?? '')
  return Object.entries(value).flatMap(([key, entry]) => readKey(key, entry, positionIn(place, key), fail))
}

function readSource(pathOrText: string, format: string): { file: string; text: string } {
  if (isFile(pathOrText)) return { file: pathOrText, text: readFileSync(pathOrText, 'utf8') }
  if (/^[^\n]{1,500}\.(ya?ml|json5?)$/i.test(pathOrText))
    throw promptFileError(pathOrText, 1, '', 'the file does not exist')
  return { file: `<${format} text>`, text: pathOrText }
}

/** Text may be an invalid file name, so ignore errors. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}

function parse(text: string, format: 'yaml' | 'json', file: string): ParsedSource {
  try {
    return format === 'yaml' ? parseYaml(text) : parseJson5(text)
  } catch (error) {
    if (error instanceof PromptSyntaxError) throw promptFileError(file, error.line, '', error.message)
    throw error
  }
}

function find(read: ParsedSource, keyPath: string | undefined, fail: Fail): ParsedSource {
  let { value, place } = read
  const passed: string[] = []
  for (const key of keyPath?.split('.') ?? []) {
    passed.push(key)
    if (!isRecord(value) || !Object.hasOwn(value, key)) fail('the key does not exist', place, passed.join('.'))
    else value = value[key]
    place = positionIn(place, key)
  }
  return { value, place }
}

function readKey(key: string, value: unknown, place: SourcePosition, fail: Fail): PromptAction[] {
  switch (key) {
    case '.agent':
      return [{ type: 'agent', slots: readSlots(value, 'system', place, key, fail) }]
    case '.request':
    case '.execution':
    case '.turn':
      return [{ type: 'turn', slots: readSlots(value, 'input', place, key, fail) }]
    case '.alias':
      return readAliases(value, place, fail)
    default:
      if (/^\$[^{]/.test(key) || key.startsWith('$${')) {
        const name = key.slice(1)
        return [{ type: 'agent', slots: readSlot(name, value, place, key, fail) }]
      }
      if (key.startsWith('.'))
        return fail('the only keys with a dot are .agent, .request, .execution and .alias', place, key)
      return [{ type: 'turn', slots: readSlot(key, value, place, key, fail) }]
  }
}

/** A single value fills the slot `alone`. */
function readSlots(value: unknown, alone: string, place: SourcePosition, key: string, fail: Fail): Slots {
  if (!isRecord(value)) return readSlot(alone, value, place, key, fail)
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, slot]) =>
      readSlot(name, slot, positionIn(place, name), `${key}.${name}`, fail),
    ),
  ) as Slots
}

function readSlot(name: string, value: unknown, place: SourcePosition, key: string, fail: Fail): Slots {
  if (/^output_?format$/i.test(name)) {
    if (value === null || value === 'json' || value === 'auto') return {}
    return fail(
      `structured output must be JSON; for text, write "output: a text in ${JSON.stringify(value)}"`,
      place,
      key,
    )
  }
  if (slotName(name) !== 'output') return { [name]: value }
  // Text that is not a type describes the form of the answer.
  if (typeof value === 'string' && parseTypeExpression(value) === undefined) return { output: value }
  return { output: value === null ? undefined : readOutput(value, place, key, fail) }
}

function readAliases(value: unknown, place: SourcePosition, fail: Fail): PromptAction[] {
  if (!isRecord(value)) return fail('must be a map of methods and their arguments', place, '.alias')
  return Object.entries(value).map(([method, given]) => {
    const key = `.alias.${method}`
    const at = positionIn(place, method)
    return {
      type: 'alias',
      method,
      args: readArguments(given, at, key, fail),
      named: isRecord(given) && !Object.hasOwn(given, '.args'),
      fail: (message) => fail(message, at, key),
    }
  })
}

/** A map is one named argument, `.args` are positional arguments, null is none. */
function readArguments(given: unknown, place: SourcePosition, key: string, fail: Fail): unknown[] {
  if (given === null || given === undefined) return []
  if (!isRecord(given)) return fail('arguments must be a map, { .args: […] } or null', place, key)
  if (!Object.hasOwn(given, '.args')) return [given]
  const { '.args': args, ...others } = given
  if (Object.keys(others).length > 0)
    fail(`${Object.keys(others).join(', ')} cannot be combined with .args`, place, key)
  if (!Array.isArray(args)) return fail('.args must be a list', positionIn(place, '.args'), `${key}..args`)
  return args as unknown[]
}
