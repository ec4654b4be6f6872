import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { newId } from '../protocol/ids.ts'
import { splitAfterStep } from '../protocol/steps.ts'
import { applyCompactions, type PromptMessage } from '../run/compact.ts'
import type { Turn } from '../run/turn.ts'
import { findBoundaries, type Boundary } from './boundaries.ts'
import { fallbackSummary } from './deeds.ts'
import { summarize } from './summarise.ts'
import { TokenGauge } from './token-gauge.ts'
import { shownTools } from '../mcp/tool-search.ts'
import { toolTokens } from './tool-tokens.ts'
import { applyTrim, trimmableResults } from './trim.ts'
import { quoteVerbatim } from './verbatim.ts'

/** The share of the room that may be filled before something is done. */
const fullShare = 0.85
/** The share of the room that the newest steps keep, word for word. */
const tailShare = 0.3
/** Trimming is worth it where it leaves so little of the room filled. */
const trimTargetShare = 0.65

export interface CompactOptions {
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
