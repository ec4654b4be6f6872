import { Buffer } from 'node:buffer'
import { NamedError } from '../error.ts'
import type { Part } from '../protocol/message.ts'
import { renderBody } from './render-body.ts'
import { isEmpty, isExtra, type Attachment, type HistoryMessage, type Slots } from './slots.ts'

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant'
  parts: Part[]
}

/** Titles of blocks by slot; an extra block may be renamed by its key. */
export type Titles = Readonly<Record<string, string>>

/** Which role of the model's interface a message gets, by the role it was written with. `_` is for unknown ones. */
export type Roles = Readonly<Record<string, PromptMessage['role']>>

export interface PromptStyle {
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
 * Slots as messages: system, developer, the history, then one user message with the blocks in their fixed order and
 * the attachments. `requirement` is what the output slot says about the form of the answer.
 */
export function renderPrompt(slots: Slots, requirement: string | undefined, style: PromptStyle = {}): PromptMessage[] {
  const titles: Titles = { ...defaultTitles, ...style.titles }
  const roles: Roles = { ...defaultRoles, ...style.roles }
  const roleOf = (role: string): PromptMessage['role'] =>
    (Object.hasOwn(roles, role) ? roles[role] : roles['_']) ?? 'user'
  const messages: PromptMessage[] = []
  const system = renderSystem(slots, titles)
  if (system !== '') messages.push({ role: roleOf('system'), parts: [text(system)] })
  if (!isEmpty(slots.developer))
    messages.push({ role: roleOf('developer'), parts: [text(renderBody(slots.developer))] })
  for (const message of slots.history ?? []) {
    const role = roleOf(message.role)
    messages.push({ role, parts: partsOf(message) })
  }
  const main = renderMain(slots, requirement, titles)
  const parts = [...(main === '' ? [] : [text(main)]), ...attachmentParts(slots)]
  if (parts.length === 0) throw emptyPrompt()
  messages.push({ role: roleOf('user'), parts })
  return messages
}

/** The blocks of the user message. Only an input: the bare input. Nothing at all: an empty text. */
export function renderMain(slots: Slots, requirement: string | undefined, titles: Titles = defaultTitles): string {
  const extras = Object.keys(slots).filter(isExtra)
  const before = ['tools', 'actionResults', 'info', ...extras, 'instruct', 'examples']
  const blocks = before.flatMap((name) => block(titles[name] ?? name, slots[name]))
  const bare = blocks.length === 0 && isEmpty(requirement)
  if (bare) return isEmpty(slots.input) ? '' : renderBody(slots.input)
  blocks.push(...block(titles['input'] ?? 'INPUT', slots.input))
  blocks.push(...block(titles['outputRequirement'] ?? 'OUTPUT REQUIREMENT', requirement))
  return [...blocks, `[${titles['output'] ?? 'OUTPUT'}]:`].join('\n\n')
}

function renderSystem(slots: Slots, titles: Titles): string {
  const named = ['role', 'rules', 'userInfo'].flatMap((name) => block(titles[name] ?? name, slots[name]))
  return [...(isEmpty(slots.system) ? [] : [renderBody(slots.system)]), ...named].join('\n\n')
}

function block(title: string, value: unknown): string[] {
  return isEmpty(value) ? [] : [`[${title}]:\n${renderBody(value)}`]
}

function partsOf(message: HistoryMessage): Part[] {
  return 'parts' in message ? [...message.parts] : [text(message.content)]
}

/** What goes along with the blocks. */
export function attachmentParts({ attachment }: Slots): Part[] {
  if (isEmpty(attachment)) return []
  return ([attachment].flat() as Attachment[]).map(attachmentPart)
}

function attachmentPart(attachment: Attachment): Part {
  if (typeof attachment === 'string') return text(attachment)
  if (attachment.type === 'text') return text(attachment.text)
  const { mediaType = 'application/octet-stream', filename } = attachment
  const named = filename === undefined ? {} : { filename }
  if ('url' in attachment) return { type: 'file', mediaType, url: String(attachment.url), ...named }
  const { data } = attachment
  const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64')
  return { type: 'file', mediaType, url: `data:${mediaType};base64,${base64}`, ...named }
}

function text(value: string): Part {
  return { type: 'text', text: value }
}

function emptyPrompt(): NamedError {
  return new NamedError(
    'EmptyPrompt',
    'The turn has nothing to say: give it an input, info, an instruct, an output, an attachment or a block of its own.',
  )
}
