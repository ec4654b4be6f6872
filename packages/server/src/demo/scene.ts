import type { ScriptItem, ScriptTurn } from '@troupe/core/testing'
import type { DemoRequest, Language } from './request.ts'

/** One request that the demo understands. Pure: the same request gets the same turn. */
export interface Scene {
  /** What a person can type, per language. */
  example: Record<Language, string>
  /** What it shows, for the list in the greeting. */
  shows: Record<Language, string>
  /** Matched against the person's words in lower case. */
  matches: RegExp
  /** Tools without which the scene cannot play. */
  tools?: string[]
  play(request: DemoRequest): ScriptTurn
}

/** The text of the request's language. */
export function inLanguage({ language }: DemoRequest, texts: Record<Language, string>): string {
  return texts[language]
}

/** Text at the pace of a fast reader. `totalMs` is the most that the whole may take. */
export function say(text: string, { wordMs = 14, totalMs = Infinity } = {}): ScriptItem {
  const words = text.match(/[\p{Script=Han}，。：；、！？（）]{1,2}|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []
  const most = Math.max(1, Math.floor(totalMs / wordMs))
  const perPiece = Math.ceil(words.length / Math.min(words.length || 1, most))
  const chunks: number[] = []
  for (let from = 0; from < words.length; from += perPiece) {
    chunks.push(words.slice(from, from + perPiece).join('').length)
  }
  return { text, delayMs: wordMs, ...(chunks.length > 0 && { chunks }) }
}

/** The same turn faster, or with no waiting at all. */
export function atSpeed(turn: ScriptTurn, speed: number | 'instant'): ScriptTurn {
  if (speed === 1) return turn
  const scaled = (ms: number | undefined) => (speed === 'instant' ? 0 : (ms ?? 0) / speed)
  return turn.map((item) => {
    if ('call' in item) return { call: { ...item.call, delayMs: scaled(item.call.delayMs) } }
    return 'delayMs' in item ? { ...item, delayMs: scaled(item.delayMs) } : item
  })
}
