import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

/**
 * Lists what a strict provider would reject in a request. Empty if it accepts. The rules combine all known causes of a
 * 400 from APIs and local chat templates: one system message at the start, alternating user and assistant, a user or
 * tool message last, exactly one result right after every call, unique and legal ids, legal names, objects as inputs,
 * no blank text, no trailing reasoning, plain JSON.
 */
export function strictProblems(prompt: LanguageModelV4Prompt): string[] {
  const problems: string[] = []
  if (prompt.length === 0) problems.push('no messages')
  checkOrder(prompt, problems)
  checkCalls(prompt, problems)
  for (const [index, message] of prompt.entries()) {
    checkContent(message, `messages[${index}]`, problems)
    checkJson(message, `messages[${index}]`, problems)
  }
  return problems
}

type Content = Exclude<LanguageModelV4Message, { role: 'system' }>['content'][number]

function checkOrder(prompt: LanguageModelV4Prompt, problems: string[]): void {
  const roles = prompt.map((message) => message.role)
  const talk = roles[0] === 'system' ? roles.slice(1) : roles
  if (talk.includes('system')) problems.push('a system message that is not the first')
  if (talk[0] !== 'user') problems.push(`the conversation begins with ${talk[0] ?? 'nothing'}`)
  if (talk.at(-1) !== 'user' && talk.at(-1) !== 'tool')
    problems.push(`the conversation ends with ${talk.at(-1) ?? 'nothing'}`)
  for (const [index, role] of talk.entries()) {
    const before = talk[index - 1]
    if (role !== 'tool' && role === before) problems.push(`${role} follows ${role}`)
    if (role === 'tool' && before !== 'assistant' && before !== 'tool')
      problems.push(`tool follows ${before ?? 'nothing'}`)
  }
}

function checkCalls(prompt: LanguageModelV4Prompt, problems: string[]): void {
  const seen = new Set<string>()
  let open = new Map<string, string>()
  for (const message of prompt) {
    if (message.role !== 'tool') {
      for (const id of open.keys()) problems.push(`the call ${id} has no result behind it`)
      open = new Map()
    }
    if (message.role === 'system') continue
    const inside = new Map<string, string>()
    for (const part of message.content as Content[]) {
      if (part.type === 'tool-call') {
        if (seen.has(part.toolCallId)) problems.push(`the id ${part.toolCallId} is used twice`)
        seen.add(part.toolCallId)
        ;(part.providerExecuted === true ? inside : open).set(part.toolCallId, part.toolName)
      } else if (part.type === 'tool-result') {
        const waiting = message.role === 'tool' ? open : inside
        if (!waiting.has(part.toolCallId)) problems.push(`the result ${part.toolCallId} has no call before it`)
        else if (waiting.get(part.toolCallId) !== part.toolName)
          problems.push(`the result ${part.toolCallId} has another name`)
        waiting.delete(part.toolCallId)
      }
    }
    for (const id of inside.keys()) problems.push(`the provider's own call ${id} has no result`)
  }
  for (const id of open.keys()) problems.push(`the call ${id} has no result at all`)
}

function checkContent(message: LanguageModelV4Message, where: string, problems: string[]): void {
  if (message.role === 'system') {
    if (isBlank(message.content)) problems.push(`${where}: blank`)
    return
  }
  const content = message.content as Content[]
  if (content.length === 0) problems.push(`${where}: no content`)
  const last = content.at(-1)
  if (last?.type === 'reasoning' || last?.type === 'reasoning-file')
    problems.push(`${where}: nothing follows the reasoning`)
  for (const [index, part] of content.entries()) checkPart(part, message.role, `${where}.content[${index}]`, problems)
}

const allowed: Record<'user' | 'assistant' | 'tool', string[]> = {
  user: ['text', 'file'],
  assistant: ['text', 'file', 'reasoning', 'reasoning-file', 'custom', 'tool-call', 'tool-result'],
  tool: ['tool-result'],
}

function checkPart(part: Content, role: 'user' | 'assistant' | 'tool', where: string, problems: string[]): void {
  const complain = (what: string): void => void problems.push(`${where}: ${what}`)
  if (!allowed[role].includes(part.type)) complain(`${part.type} in a ${role} message`)
  switch (part.type) {
    case 'text':
      if (isBlank(part.text)) complain('blank text')
      return
    case 'reasoning':
      if (isBlank(part.text) && part.providerOptions === undefined) complain('blank reasoning')
      return
    case 'file':
    case 'reasoning-file':
      checkFile(part, complain)
      return
    case 'tool-call':
      if (!idPattern.test(part.toolCallId)) complain(`illegal id ${JSON.stringify(part.toolCallId)}`)
      if (!idPattern.test(part.toolName)) complain(`illegal name ${JSON.stringify(part.toolName)}`)
      if (typeof part.input !== 'object' || part.input === null || Array.isArray(part.input))
        complain('input is no object')
      return
    case 'tool-result':
      if (part.output.type === 'content' || part.output.type === 'execution-denied')
        complain(`output of type ${part.output.type}`)
      // A tool may return nothing, but an error without text is rejected.
      else if (isBlankError(part.output)) complain('blank error')
      return
    default:
  }
}

function isBlankError({ type, value }: { type: string; value: unknown }): boolean {
  return type.startsWith('error-') && typeof value === 'string' && isBlank(value)
}

const idPattern = /^[A-Za-z0-9_-]{1,64}$/

function checkFile(
  { mediaType, data }: Extract<Content, { type: 'file' | 'reasoning-file' }>,
  complain: (what: string) => void,
): void {
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) complain(`illegal media type ${JSON.stringify(mediaType)}`)
  if (data.type === 'url' && !/^https?:$/.test(data.url.protocol)) complain(`a file at ${data.url.protocol}`)
  if (data.type !== 'data') return
  if (data.data.length === 0) complain('an empty file')
  if (
    typeof data.data === 'string' &&
    !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data.data)
  )
    complain('no base64')
}

/** Requires plain JSON with well-formed strings. Bytes and URLs of files are exempt. */
function checkJson(value: unknown, where: string, problems: string[]): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) problems.push(`${where}: half a character`)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) problems.push(`${where}: ${value}`)
  } else if (Array.isArray(value))
    for (const [index, item] of value.entries()) checkJson(item, `${where}[${index}]`, problems)
  else if (value !== null && typeof value === 'object') {
    if (value instanceof URL || value instanceof Uint8Array) return
    for (const [key, item] of Object.entries(value)) {
      checkJson(key, `${where} key`, problems)
      checkJson(item, `${where}.${key}`, problems)
    }
  } else if (value !== null && typeof value !== 'boolean') problems.push(`${where}: ${typeof value}`)
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
