import type { Part } from '../protocol/message.ts'
import type { PromptMessage } from '../run/compact.ts'

const maxMessageLength = 4000
const maxQuoteLength = 12_000

/** What a summary never puts in its own words: what the person asked for, the todo list, the plan. */
export function quoteVerbatim(messages: readonly PromptMessage[]): string {
  const blocks = [userMessagesBlock(messages)]
  const todos = lastInput(messages, 'TodoWrite', 'todos')
  if (Array.isArray(todos) && todos.length > 0) blocks.push(`Todo list:\n${todos.map(todoLine).join('\n')}`)
  const plan = lastInput(messages, 'ExitPlanMode', 'plan')
  if (typeof plan === 'string' && plan !== '') blocks.push(`Plan:\n${shorten(plan, maxQuoteLength)}`)
  return blocks.filter((block) => block !== '').join('\n\n')
}

/** The first message and the newest ones: those between them are left out when there are too many. */
function userMessagesBlock(messages: readonly PromptMessage[]): string {
  const said = messages
    .flatMap(({ role, parts }) => (role === 'user' ? [partsText(parts)] : steeringTexts(parts)))
    .filter((text) => text !== '')
    .map((text) => shorten(text, maxMessageLength))
  if (said.length === 0) return ''
  const kept: string[] = []
  let length = (said[0] as string).length
  for (const text of said.slice(1).toReversed()) {
    length += text.length
    if (length > maxQuoteLength) break
    kept.unshift(text)
  }
  const left = said.length - 1 - kept.length
  const lines = [said[0] as string, ...(left > 0 ? [`[${left} messages left out]`] : []), ...kept]
  return `What the person said, word for word:\n${lines.map((text) => `> ${text.replaceAll('\n', '\n> ')}`).join('\n\n')}`
}

function steeringTexts(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'steering-message' ? [partsText(part.parts as Part[])] : []))
}

function partsText(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim()
}

function todoLine(todo: unknown): string {
  const { content, status } = todo as { content?: unknown; status?: unknown }
  return `- [${status === 'completed' ? 'x' : status === 'in_progress' ? '~' : ' '}] ${String(content)}`
}

/** A field of the newest call of a tool that was made in full. */
function lastInput(messages: readonly PromptMessage[], tool: string, field: string): unknown {
  for (const { parts } of messages.toReversed()) {
    for (const part of parts.toReversed()) {
      if (part.type !== `tool-${tool}` || !('state' in part) || part.state !== 'output-available') continue
      const input = (part as { input?: Record<string, unknown> }).input
      if (input !== undefined && field in input) return input[field]
    }
  }
  return undefined
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()} […${text.length - most} characters more]`
}
