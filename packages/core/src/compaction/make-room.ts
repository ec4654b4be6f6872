import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { newId } from '../protocol/ids.ts'
import { splitAfterStep } from '../protocol/steps.ts'
import { compact, type Projected } from '../run/compact.ts'
import type { Turn } from '../run/turn.ts'
import { boundaries, type Boundary } from './boundaries.ts'
import { deeds } from './deeds.ts'
import { summarise } from './summarise.ts'
import { TokenGauge } from './token-gauge.ts'
import { shownTools } from '../mcp/tool-search.ts'
import { toolTokens } from './tool-tokens.ts'
import { trim, trimmable } from './trim.ts'
import { verbatim } from './verbatim.ts'

/** The share of the room that may be filled before something is done. */
const full = 0.85
/** The share of the room that the newest steps keep, word for word. */
const tailShare = 0.3
/** Trimming is worth it where it leaves so little of the room filled. */
const roomy = 0.65

export interface RoomOptions {
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
export async function makeRoom(turn: Turn, options: RoomOptions = {}): Promise<number> {
  const { input } = turn
  const { now, tooLong } = options
  const { maxOutputTokens } = input.model
  if (turn.window === undefined && now !== true && tooLong === undefined) return 0
  const gauge = gaugeOf(turn)
  const toolsShown = toolTokens(shownTools(input.tools, messagesOf(turn), input.offers, input.mode?.get()))
  const fixed = (): number => gauge.text(input.instructions ?? '') + toolsShown
  const filled = (): number => fixed() + gauge.messages(shown(turn))
  if (tooLong !== undefined) learnFrom(turn, tooLong, filled())
  const estimate = filled()
  const window = turn.window ?? estimate
  const room = Math.max(window - Math.min(maxOutputTokens ?? 8000, window / 4) - fixed(), window / 8)
  const used = (): number => filled() - fixed()
  if (now !== true && tooLong === undefined && used() <= full * room) return estimate
  const places = boundaries(trim(messagesOf(turn)), gauge).filter((place) => !isUnderWay(turn, place, options))
  const tail = Math.min(tailShare * room, used() / 2)
  // The last place to cut at that leaves enough of the newest; else the first that leaves less.
  const cut = places.findLast(({ after }) => after >= tail) ?? places[0]
  if (cut === undefined) return estimate
  if (now === true) await summariseUpTo(turn, cut)
  else {
    await setAside(turn, cut)
    if (used() > roomy * room) await summariseUpTo(turn, cut)
    // The newest step alone may be more than fits: it goes too, as far as it has ended.
    const last = places.at(-1)
    if (used() > room && last !== undefined && !isSame(last, cut)) {
      await setAside(turn, last)
      if (used() > room) await summariseUpTo(turn, last)
    }
  }
  return filled()
}

/** What the provider refused was more than it takes, whatever was thought before. */
function learnFrom(turn: Turn, { limit, sent }: NonNullable<RoomOptions['tooLong']>, estimate: number): void {
  const counted = sent ?? Math.max(estimate, (limit ?? 0) * 1.05)
  gaugeOf(turn).calibrate(estimate, counted)
  turn.window = Math.floor(limit ?? Math.min(turn.window ?? Infinity, counted * 0.8))
  turn.input.model.onLearned?.({ contextWindow: turn.window, exact: limit !== undefined })
}

/** The step of a refused call has begun, and what it will say must not be taken for something old. */
function isUnderWay({ input, step }: Turn, { upTo }: Boundary, { tooLong }: RoomOptions): boolean {
  return tooLong !== undefined && upTo.messageId === input.messageId && upTo.step >= step
}

/** Most turns need none: it is made with the first that has a window to look at. */
function gaugeOf(turn: Turn): TokenGauge {
  return (turn.gauge ??= new TokenGauge())
}

/** What of the conversation a model would be told now. */
function shown(turn: Turn): readonly Projected[] {
  return compact(trim(messagesOf(turn)))
}

function messagesOf({ input, fold }: Turn): Projected[] {
  return [...input.history, fold.snapshot()]
}

/** Old results go to files that the agent can read. */
async function setAside(turn: Turn, { upTo }: Boundary): Promise<void> {
  const folder = turn.state().outputFolder
  const messages = messagesOf(turn)
  const index = messages.findIndex(({ id }) => id === upTo.messageId)
  const results = messages
    .slice(0, index + 1)
    .flatMap(({ parts }, i) => trimmable(parts, i < index ? Infinity : upTo.step, folder))
  if (results.length === 0) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const result of results) await keep(path.resolve(result.path), result.text)
  const id = newId('trim_')
  turn.emit({ type: 'data-trim', id, data: { id, upTo, folder } })
}

/** What was set aside before is there already, and does not change. */
async function keep(file: string, text: string): Promise<void> {
  if (!existsSync(file)) await writeFile(file, text, { mode: 0o600 })
}

async function summariseUpTo(turn: Turn, { upTo }: Boundary): Promise<void> {
  const { input } = turn
  const all = messagesOf(turn)
  const older = olderThan(trim(all), upTo)
  const written = await turn.work(() => summarise(compact(older), input, gaugeOf(turn), turn.window))
  if (written?.usage !== undefined) turn.spend(written.usage)
  const originals = olderThan(all, upTo)
  const told = written?.text ?? `What was done:\n${deeds(originals)}`
  const summary = [
    'The older part of this conversation was replaced by this summary.',
    `<conversation-summary>\n${told.replaceAll('</conversation-summary', '&lt;/conversation-summary')}\n</conversation-summary>`,
    verbatim(originals),
  ].join('\n\n')
  const id = newId('cmp_')
  turn.emit({ type: 'data-compaction', id, data: { id, upTo, summary } })
  await turn.log.sync()
}

/** Everything up to a place, that included. */
function olderThan(messages: readonly Projected[], upTo: Boundary['upTo']): Projected[] {
  const index = messages.findIndex(({ id }) => id === upTo.messageId)
  return messages.slice(0, index + 1).map((message, i) => {
    if (i < index || message.role !== 'assistant') return message
    return { ...message, parts: splitAfterStep(message.parts, upTo.step).before }
  })
}

function isSame(a: Boundary, b: Boundary): boolean {
  return a.upTo.messageId === b.upTo.messageId && a.upTo.step === b.upTo.step
}
