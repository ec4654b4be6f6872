import { isMap } from '../slots.ts'
import type { Place } from './place.ts'
import type { ReadText } from './read-text.ts'

/** Values for `${name}`. */
export type Mappings = Readonly<Record<string, unknown>>

/**
 * Puts mappings in, in keys and values at every depth. A value that is nothing but `${name}` becomes the mapped value
 * itself, of whatever type; inside a longer text it is written out. An unknown name stays as it is written.
 */
export function substitute({ value, place }: ReadText, mappings: Mappings): ReadText {
  if (typeof value === 'string') return { value: substituteText(value, mappings), place }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) =>
      substitute({ value: item, place: entry(place, String(index)) }, mappings),
    )
    return {
      value: items.map((item) => item.value),
      place: { ...place, entries: new Map(items.map((item, index) => [String(index), item.place])) },
    }
  }
  if (!isMap(value)) return { value, place }
  const pairs = Object.entries(value).map(([key, item]) => {
    return [
      written(substituteText(key, mappings)),
      substitute({ value: item, place: entry(place, key) }, mappings),
    ] as const
  })
  return {
    value: Object.fromEntries(pairs.map(([key, item]) => [key, item.value])),
    place: { ...place, entries: new Map(pairs.map(([key, item]) => [key, item.place])) },
  }
}

const pattern = /\$\{\s*([^}]+?)\s*\}/g

function substituteText(text: string, mappings: Mappings): unknown {
  const whole = /^\$\{\s*([^}]+?)\s*\}$/.exec(text)?.[1]
  if (whole !== undefined) return Object.hasOwn(mappings, whole) ? mappings[whole] : text
  return text.replace(pattern, (literal, name: string) =>
    Object.hasOwn(mappings, name) ? written(mappings[name]) : literal,
  )
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
}

function entry(place: Place, key: string): Place {
  return place.entries.get(key) ?? { line: place.line, entries: new Map() }
}
