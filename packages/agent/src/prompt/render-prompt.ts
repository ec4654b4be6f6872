import { Buffer } from 'node:buffer'
import { toJson } from '@troupe/core/run'
import { NamedError, type Part } from '@troupe/protocol'
import { stringify } from 'yaml'
import { type HistoryMessage, isEmpty, isExtra, type Slots } from './slots.ts'

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant'
  parts: Part[]
}

/** Block titles by slot. An extra block can be renamed by its key. */
export type Titles = Readonly<Record<string, string>>

/** Maps the role of a message to a role of the model's API. `_` is for unknown roles. */
export type Roles = Readonly<Record<string, PromptMessage['role']>>

interface PromptStyle {
  titles?: Titles | undefined
  roles?: Roles | undefined
}

export const defaultTitles = {
  role: 'ROLE',
  rules: 'RULES',
  userInfo: 'USER INFO',
  tools: 'TOOLS',
  actionResults: 'ACTION RESULTS',
  info: 'INFO',
  instruct: 'INSTRUCT',
  examples: 'EXAMPLES',
  input: 'INPUT',
  outputRequirement: 'OUTPUT REQUIREMENT',
  output: 'OUTPUT',
} as const satisfies Titles

const defaultRoles: Roles = { system: 'system', developer: 'system', user: 'user', assistant: 'assistant', _: 'user' }

/**
 * Renders slots as messages: system, developer, the history, then one user message with the blocks in fixed order and
 * the attachments. `requirement` describes the form of the answer, from the output slot.
 */
export function renderPrompt(slots: Slots, requirement: string | undefined, style: PromptStyle = {}): PromptMessage[] {
  const titles: Titles = { ...defaultTitles, ...style.titles }
  const roles: Roles = { ...defaultRoles, ...style.roles }
  const roleOf = (role: string): PromptMessage['role'] =>
    (Object.hasOwn(roles, role) ? roles[role] : roles['_']) ?? 'user'
  const messages: PromptMessage[] = []
  const system = renderSystem(slots, titles)
  if (system !== '') messages.push({ role: roleOf('system'), parts: [textPart(system)] })
  if (!isEmpty(slots.developer))
    messages.push({ role: roleOf('developer'), parts: [textPart(renderBody(slots.developer))] })
  for (const message of slots.history ?? []) {
    const role = roleOf(message.role)
    messages.push({ role, parts: historyParts(message) })
  }
  const main = renderMain(slots, requirement, titles)
  const parts = [...(main === '' ? [] : [textPart(main)]), ...attachmentParts(slots)]
  if (parts.length === 0) throw emptyPromptError()
  messages.push({ role: roleOf('user'), parts })
  return messages
}

/** Renders the blocks of the user message. A lone input renders without a title. No blocks give an empty text. */
export function renderMain(slots: Slots, requirement: string | undefined, titles: Titles = defaultTitles): string {
  const extras = Object.keys(slots).filter(isExtra)
  const before = ['tools', 'actionResults', 'info', ...extras, 'instruct', 'examples']
  const blocks = before.flatMap((name) => renderBlock(titles[name] ?? name, slots[name]))
  const bare = blocks.length === 0 && isEmpty(requirement)
  if (bare) return isEmpty(slots.input) ? '' : renderBody(slots.input)
  blocks.push(...renderBlock(titles['input'] ?? 'INPUT', slots.input))
  blocks.push(...renderBlock(titles['outputRequirement'] ?? 'OUTPUT REQUIREMENT', requirement))
  return [...blocks, `[${titles['output'] ?? 'OUTPUT'}]:`].join('\n\n')
}

function renderSystem(slots: Slots, titles: Titles): string {
  const named = ['role', 'rules', 'userInfo'].flatMap((name) => renderBlock(titles[name] ?? name, slots[name]))
  return [...(isEmpty(slots.system) ? [] : [renderBody(slots.system)]), ...named].join('\n\n')
}

function renderBlock(title: string, value: unknown): string[] {
  return isEmpty(value) ? [] : [`[${title}]:\n${renderBody(value)}`]
}

function historyParts(message: HistoryMessage): Part[] {
  if ('parts' in message) return [...message.parts]
  const { role, content } = message
  if (typeof content === 'string') return [textPart(content)]
  if (Array.isArray(content)) return content.map((part) => filePart(part, `A ${role} message in the history`))
  throw attachmentError(content, `The content of a ${role} message in the history`)
}

export function attachmentParts({ attachment }: Slots): Part[] {
  if (isEmpty(attachment)) return []
  return [attachment].flat().map((one) => filePart(one, 'The attachment'))
}

/** Parses a text or a file in any shape used by providers and the AI SDK. */
function filePart(given: unknown, where: string): Part {
  if (typeof given === 'string') return textPart(given)
  const part = Object(given) as Record<string, unknown>
  if (typeof part['text'] === 'string') return textPart(part['text'])
  const image = part['image_url'] ?? part['image']
  const source = part['url'] ?? part['data'] ?? (Object(image) as { url?: unknown }).url ?? image
  const type = part['mediaType'] ?? part['mimeType'] ?? part['media_type']
  const mediaType = typeof type === 'string' ? type : image === undefined ? 'application/octet-stream' : 'image/*'
  const url = urlOf(source, mediaType, 'data' in part)
  if (url === undefined) throw attachmentError(given, where)
  return { type: 'file', mediaType, url, filename: typeof part['filename'] === 'string' ? part['filename'] : undefined }
}

function urlOf(source: unknown, mediaType: string, isData: boolean): string | undefined {
  if (source instanceof URL) return source.href
  if (source instanceof Uint8Array) return `data:${mediaType};base64,${Buffer.from(source).toString('base64')}`
  if (typeof source !== 'string' || source === '') return undefined
  return (isData && !source.startsWith('data:')) || !/^[a-z][a-z\d+.-]*:/i.test(source)
    ? `data:${mediaType};base64,${source}`
    : source
}

function attachmentError(given: unknown, where: string): NamedError {
  const { type } = Object(given) as { type?: unknown }
  const what = typeof type === 'string' ? `a part of type "${type}"` : `a value of type ${typeof given}`
  const message = `${where} contains ${what} that cannot be sent. Use text, or a file with url or data and mediaType.`
  return new NamedError('BadPart', message, { data: { type: type ?? typeof given } })
}

function textPart(value: string): Part {
  return { type: 'text', text: value }
}

function emptyPromptError(): NamedError {
  return new NamedError(
    'EmptyPrompt',
    'The turn is empty. Give it an input, info, instruct, output, attachment or custom block.',
  )
}

/** Renders the body of a block: text as is, anything else as YAML with its keys in the given order. */
export function renderBody(value: unknown): string {
  if (typeof value === 'string') return value
  return stringify(toJson(value), { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()
}

/** Renders messages as one text, for people and for completion models. Files appear by name. */
export function renderText(messages: readonly PromptMessage[]): string {
  const blocks = messages.map(({ role, parts }) => {
    const texts = parts.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      return part.type === 'file' ? [`[${part.filename ?? part.mediaType}]`] : []
    })
    return `${role}:\n${texts.join('\n\n')}`
  })
  return [...blocks, 'assistant:'].join('\n\n')
}
