import { isRecord } from '../slots.ts'
import type { SourcePosition } from './place.ts'
import type { ParsedSource } from './read-text.ts'

/** Values for `${name}`. */
export type Mappings = Readonly<Record<string, unknown>>

/**
 * Puts mappings in, in keys and values at every depth. A value that is nothing but `${name}` becomes the mapped value
 * itself, of whatever type; inside a longer text it is written out. An unknown name stays as it is written.
 */
export function substitute({ value, place }: ParsedSource, mappings: Mappings): ParsedSource {
  if (typeof value === 'string') return { value: substituteText(value, mappings), place }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      substitute({ value: item, place: entryPosition(place, String(index)) }, mappings),
    )
    return {
      value: items.map((item) => item.value),
      place: { ...place, entries: new Map(items.map((item, index) => [String(index), item.place])) },
    }
  }
  if (!isRecord(value)) return { value, place }
  const pairs = Object.entries(value).map(([key, item]) => {
    return [
      toText(substituteText(key, mappings)),
      substitute({ value: item, place: entryPosition(place, key) }, mappings),
    ] as const
  })
  return {
    value: Object.fromEntries(pairs.map(([key, item]) => [key, item.value])),
    place: { ...place, entries: new Map(pairs.map(([key, item]) => [key, item.place])) },
  }
}

const placeholder = /\$\{\s*([^}]+?)\s*\}/g

function substituteText(text: string, mappings: Mappings): unknown {
  const whole = /^\$\{\s*([^}]+?)\s*\}$/.exec(text)?.[1]
  if (whole !== undefined) return Object.hasOwn(mappings, whole) ? mappings[whole] : text
  return text.replace(placeholder, (literal, name: string) =>
    Object.hasOwn(mappings, name) ? toText(mappings[name]) : literal,
  )
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function entryPosition(place: SourcePosition, key: string): SourcePosition {
  return place.entries.get(key) ?? { line: place.line, entries: new Map() }
}
