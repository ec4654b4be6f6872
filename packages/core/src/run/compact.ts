import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { newId, type Part, splitAfterStep } from '@troupe/protocol'
import {
  applyCompactions,
  applyTrim,
  type PromptMessage,
  TokenGauge,
  trimmableResults,
} from '../prompt/apply-compactions.ts'
import { shownTools, toolTokens } from '../tool/tool-set.ts'
import type { RunInput } from './run-input.ts'
import { type Boundary, findBoundaries, summarize } from './summarize.ts'
import { closeTurn, failTurn, firstMetadata, openTurn, restoreOutcome, type RunOutcome, type Turn } from './turn.ts'

/** Share of the available room that may fill up before compaction starts. */
const fullShare = 0.85
/** Share of the available room reserved for the newest steps, kept verbatim. */
const tailShare = 0.3
/** Trimming alone is enough if it brings usage below this share of the room. */
const trimTargetShare = 0.65

interface CompactOptions {
  /** Summarize on the user's request, even if there is enough room. */
  now?: boolean
  /** Set when the provider rejected the current step's call as too long, with the numbers it reported. */
  tooLong?: { limit?: number; sent?: number }
}

/**
 * Makes the next model call fit the context window. First replaces old results with pointers to files, then summarizes
 * the older part. If the model cannot write a summary, a list of past actions replaces it. Never changes the stored
 * tree. Returns the estimated tokens of the next call.
 */
export async function compactIfNeeded(turn: Turn, options: CompactOptions = {}): Promise<number> {
  const { input } = turn
  const { now, tooLong } = options
  const { maxOutputTokens } = input.model
  if (turn.window === undefined && now !== true && tooLong === undefined) return 0
  const gauge = turnGauge(turn)
  const toolsShown = toolTokens(shownTools(input.tools, allMessages(turn), input.offers, input.mode?.get()))
  const fixed = (): number => gauge.text(input.instructions ?? '') + toolsShown
  const filled = (): number => fixed() + gauge.messages(promptMessages(turn))
  if (tooLong !== undefined) learnFrom(turn, tooLong, filled())
  const estimate = filled()
  const window = turn.window ?? estimate
  const room = Math.max(window - Math.min(maxOutputTokens ?? 8000, window / 4) - fixed(), window / 8)
  const used = (): number => filled() - fixed()
  if (now !== true && tooLong === undefined && used() <= fullShare * room) return estimate
  const places = findBoundaries(applyTrim(allMessages(turn)), gauge).filter(
    (place) => !isCurrentStep(turn, place, options),
  )
  const tail = Math.min(tailShare * room, used() / 2)
  // Pick the last boundary that leaves enough recent messages, or else the first boundary.
  const cut = places.findLast(({ after }) => after >= tail) ?? places[0]
  if (cut === undefined) return estimate
  if (now === true) await summarizeUpTo(turn, cut)
  else {
    await trimResults(turn, cut)
    if (used() > trimTargetShare * room) await summarizeUpTo(turn, cut)
    // The newest step alone may not fit. Then its finished part is summarized too.
    const last = places.at(-1)
    if (used() > room && last !== undefined && !isSameBoundary(last, cut)) {
      await trimResults(turn, last)
      if (used() > room) await summarizeUpTo(turn, last)
    }
  }
  return filled()
}

/** Updates the window from a rejection: the request was too long, whatever the previous estimate. */
function learnFrom(turn: Turn, { limit, sent }: NonNullable<CompactOptions['tooLong']>, estimate: number): void {
  const counted = sent ?? Math.max(estimate, (limit ?? 0) * 1.05)
  turnGauge(turn).calibrate(estimate, counted)
  turn.window = Math.floor(limit ?? Math.min(turn.window ?? Infinity, counted * 0.8))
  turn.input.model.onLearned?.({ contextWindow: turn.window, exact: limit !== undefined })
}

/** The step of a rejected call has already begun. Its output must not be treated as old. */
function isCurrentStep({ input, step }: Turn, { upTo }: Boundary, { tooLong }: CompactOptions): boolean {
  return tooLong !== undefined && upTo.messageId === input.messageId && upTo.step >= step
}

/** Created lazily: most turns never check a context window. */
function turnGauge(turn: Turn): TokenGauge {
  return (turn.gauge ??= new TokenGauge())
}

function promptMessages(turn: Turn): readonly PromptMessage[] {
  return applyCompactions(applyTrim(allMessages(turn)))
}

function allMessages({ input, fold }: Turn): PromptMessage[] {
  return [...input.history, fold.snapshot()]
}

async function trimResults(turn: Turn, { upTo }: Boundary): Promise<void> {
  const folder = turn.state().outputFolder
  const messages = allMessages(turn)
  const index = messages.findIndex(({ id }) => id === upTo.messageId)
  const results = messages
    .slice(0, index + 1)
    .flatMap(({ parts }, i) => trimmableResults(parts, i < index ? Infinity : upTo.step, folder))
  if (results.length === 0) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const result of results) await writeOnce(path.resolve(result.path), result.text)
  const id = newId('trim_')
  turn.emit({ type: 'data-trim', id, data: { id, upTo, folder } })
}

/** An existing file is already complete and never changes. */
async function writeOnce(file: string, text: string): Promise<void> {
  if (!existsSync(file)) await writeFile(file, text, { mode: 0o600 })
}

async function summarizeUpTo(turn: Turn, { upTo }: Boundary): Promise<void> {
  const { input } = turn
  const all = allMessages(turn)
  const older = messagesUpTo(applyTrim(all), upTo)
  const written = await turn.work(() => summarize(applyCompactions(older), input, turnGauge(turn), turn.window))
  if (written?.usage !== undefined) turn.spend(written.usage)
  const originals = messagesUpTo(all, upTo)
  const told = written?.text ?? `What has been done:\n${fallbackSummary(originals)}`
  const summary = [
    'The earlier part of this conversation was replaced by this summary.',
    `<conversation-summary>\n${told.replaceAll('</conversation-summary', '&lt;/conversation-summary')}\n</conversation-summary>`,
    quoteVerbatim(originals),
  ].join('\n\n')
  const id = newId('cmp_')
  turn.emit({ type: 'data-compaction', id, data: { id, upTo, summary } })
  // The provider counted the messages that the summary replaces.
  turn.contextTokens = undefined
  await turn.log.sync()
}

/** Messages up to and including the boundary. */
function messagesUpTo(messages: readonly PromptMessage[], upTo: Boundary['upTo']): PromptMessage[] {
  const index = messages.findIndex(({ id }) => id === upTo.messageId)
  return messages.slice(0, index + 1).map((message, i) => {
    if (i < index || message.role !== 'assistant') return message
    return { ...message, parts: splitAfterStep(message.parts, upTo.step).before }
  })
}

function isSameBoundary(a: Boundary, b: Boundary): boolean {
  return a.upTo.messageId === b.upTo.messageId && a.upTo.step === b.upTo.step
}

const maxLineLength = 200
const maxSummaryLength = 6000

/**
 * Lists past actions without a model: the tools called with their targets, and the start of each answer. Keeps the
 * newest lines.
 */
function fallbackSummary(messages: readonly PromptMessage[]): string {
  const lines: string[] = []
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue
    for (const part of parts) {
      if (part.type === 'text' && part.text.trim() !== '') lines.push(`Said: ${oneLine(part.text)}`)
      else if ('toolCallId' in part && 'state' in part) {
        const { input, state, errorText } = part as { input?: unknown; state: string; errorText?: string }
        const outcome = state === 'output-error' ? ` -> ${oneLine(errorText ?? 'failed')}` : ''
        lines.push(`${part.type.replace(/^tool-/, '')} ${oneLine(JSON.stringify(input) ?? '')}${outcome}`)
      }
    }
  }
  const kept: string[] = []
  let length = 0
  for (const line of lines.toReversed()) {
    length += line.length
    if (length > maxSummaryLength) break
    kept.unshift(line)
  }
  const left = lines.length - kept.length
  return [...(left > 0 ? [`[${left} earlier lines omitted]`] : []), ...kept].join('\n')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength).toWellFormed()}…` : line
}

const maxMessageLength = 4000
const maxQuoteLength = 12_000

/** Quotes the parts that a summary must never rephrase: the user's requests, the todo list and the plan. */
function quoteVerbatim(messages: readonly PromptMessage[]): string {
  const blocks = [userMessagesBlock(messages)]
  const todos = lastInput(messages, 'TodoWrite', 'todos')
  if (Array.isArray(todos) && todos.length > 0) blocks.push(`Todo list:\n${todos.map(todoLine).join('\n')}`)
  const plan = lastInput(messages, 'ExitPlanMode', 'plan')
  if (typeof plan === 'string' && plan !== '') blocks.push(`Plan:\n${shorten(plan, maxQuoteLength)}`)
  return blocks.filter((block) => block !== '').join('\n\n')
}

/** Keeps the first message and the newest ones. Drops the middle when there are too many. */
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
  const lines = [said[0] as string, ...(left > 0 ? [`[${left} messages omitted]`] : []), ...kept]
  return `The user's messages, word for word:\n${lines.map((text) => `> ${text.replaceAll('\n', '\n> ')}`).join('\n\n')}`
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

/** Returns a field of the newest complete call of a tool. */
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
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()} […${text.length - most} more characters]`
}

/** Runs a compaction that the user requested. Summarizes the older part of the conversation and produces no answer. */
export async function compactRun(input: RunInput): Promise<RunOutcome> {
  const turn = openTurn(input)
  const { resume } = input
  try {
    if (resume?.phase === 'finished') return restoreOutcome(turn)
    if (resume?.chunks.some((chunk) => chunk.type === 'start') !== true) {
      turn.emit({ type: 'start', messageId: input.messageId, messageMetadata: firstMetadata(input) })
      for (const chunk of input.opening ?? []) turn.emit(chunk)
    }
    input.signal.throwIfAborted()
    if (!isCompacted(turn)) await compactIfNeeded(turn, { now: true })
    input.signal.throwIfAborted()
    emitText(
      turn,
      isCompacted(turn)
        ? 'Earlier messages are now summarized for the model. They stay visible in this chat.'
        : 'There is nothing to summarize yet.',
    )
    turn.finishReason = 'stop'
    return closeTurn(turn)
  } catch (error) {
    return failTurn(turn, error)
  }
}

function isCompacted({ fold }: Turn): boolean {
  return fold.snapshot().parts.some(({ type }) => type === 'data-compaction')
}

function emitText({ emit }: Turn, text: string): void {
  const id = 'said'
  emit({ type: 'text-start', id })
  emit({ type: 'text-delta', id, delta: text })
  emit({ type: 'text-end', id })
}
