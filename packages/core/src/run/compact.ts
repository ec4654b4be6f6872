import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { newId, type Part, splitAfterStep } from '@troupe/protocol'
import { applyCompactions, applyTrim, type PromptMessage, trimmableResults } from '../prompt/apply-compactions.ts'
import { TokenGauge } from '../prompt/token-gauge.ts'
import { shownTools, toolTokens } from '../tool/tool-search.ts'
import { closeTurn, failTurn, restoreOutcome, type RunOutcome } from './end-turn.ts'
import type { RunInput } from './run-input.ts'
import { type Boundary, findBoundaries, summarize } from './summarize.ts'
import { firstMetadata, openTurn, type Turn } from './turn.ts'

/** The share of the room that may be filled before something is done. */
const fullShare = 0.85
/** The share of the room that the newest steps keep, word for word. */
const tailShare = 0.3
/** Trimming is worth it where it leaves so little of the room filled. */
const trimTargetShare = 0.65

interface CompactOptions {
  /** The person asks for a summary, whatever there is room for. */
  now?: boolean
  /** The provider refused the call of the step that is under way, and told these numbers. */
  tooLong?: { limit?: number; sent?: number }
}

/**
 * Sees to it that the next call fits the window of the model. First old results become pointers to files, then the
 * older part becomes a summary; where the model cannot write one, a list of what was done stands in its place. What the
 * tree holds is never touched. Returns the estimate of what will be sent.
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
  // The last place to cut at that leaves enough of the newest; else the first that leaves less.
  const cut = places.findLast(({ after }) => after >= tail) ?? places[0]
  if (cut === undefined) return estimate
  if (now === true) await summarizeUpTo(turn, cut)
  else {
    await trimResults(turn, cut)
    if (used() > trimTargetShare * room) await summarizeUpTo(turn, cut)
    // The newest step alone may be more than fits: it goes too, as far as it has ended.
    const last = places.at(-1)
    if (used() > room && last !== undefined && !isSameBoundary(last, cut)) {
      await trimResults(turn, last)
      if (used() > room) await summarizeUpTo(turn, last)
    }
  }
  return filled()
}

/** What the provider refused was more than it takes, whatever was thought before. */
function learnFrom(turn: Turn, { limit, sent }: NonNullable<CompactOptions['tooLong']>, estimate: number): void {
  const counted = sent ?? Math.max(estimate, (limit ?? 0) * 1.05)
  turnGauge(turn).calibrate(estimate, counted)
  turn.window = Math.floor(limit ?? Math.min(turn.window ?? Infinity, counted * 0.8))
  turn.input.model.onLearned?.({ contextWindow: turn.window, exact: limit !== undefined })
}

/** The step of a refused call has begun, and what it will say must not be taken for something old. */
function isCurrentStep({ input, step }: Turn, { upTo }: Boundary, { tooLong }: CompactOptions): boolean {
  return tooLong !== undefined && upTo.messageId === input.messageId && upTo.step >= step
}

/** Most turns need none: it is made with the first that has a window to look at. */
function turnGauge(turn: Turn): TokenGauge {
  return (turn.gauge ??= new TokenGauge())
}

/** What of the conversation a model would be told now. */
function promptMessages(turn: Turn): readonly PromptMessage[] {
  return applyCompactions(applyTrim(allMessages(turn)))
}

function allMessages({ input, fold }: Turn): PromptMessage[] {
  return [...input.history, fold.snapshot()]
}

/** Old results go to files that the agent can read. */
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

/** What was set aside before is there already, and does not change. */
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
  const told = written?.text ?? `What was done:\n${fallbackSummary(originals)}`
  const summary = [
    'The older part of this conversation was replaced by this summary.',
    `<conversation-summary>\n${told.replaceAll('</conversation-summary', '&lt;/conversation-summary')}\n</conversation-summary>`,
    quoteVerbatim(originals),
  ].join('\n\n')
  const id = newId('cmp_')
  turn.emit({ type: 'data-compaction', id, data: { id, upTo, summary } })
  await turn.log.sync()
}

/** Everything up to a place, that included. */
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
 * What was done, in lines that are made without a model: which tools were called on what, and how answers began. The
 * newest lines are kept.
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
  return [...(left > 0 ? [`[${left} earlier lines left out]`] : []), ...kept].join('\n')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength).toWellFormed()}…` : line
}

const maxMessageLength = 4000
const maxQuoteLength = 12_000

/** What a summary never puts in its own words: what the person asked for, the todo list, the plan. */
function quoteVerbatim(messages: readonly PromptMessage[]): string {
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

/** A run that answers nothing: it puts the older part of the conversation in fewer words, as the person asked. */
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
        ? 'The older part of this conversation is a summary from here on. Nothing of it is deleted.'
        : 'There is nothing to summarise yet.',
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
