import type { RawRecords } from './record-changes.ts'

/** Objects of a JSON file: the elements of its array, or one after the other. `isLines`: the file may get more of them. */
export function jsonRecords(text: string, columns: readonly string[], isLines = true): RawRecords {
  const open = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0)
  const isArray = text[open] === '['
  const records = [...jsonValues(text, isArray ? open + 1 : open)]
  if (records.some(({ start }) => text[start] !== '{'))
    throw new Error('Only lists of objects can be changed in place.')
  const [first, second] = records
  const head = text.slice(0, first?.start ?? text.length)
  const tail = text.slice(records.at(-1)?.end ?? text.length)
  const between =
    first !== undefined && second !== undefined
      ? text.slice(first.end, second.start)
      : isArray
        ? `,${head.slice(open + 1)}`
        : '\n'
  const known = new Set(records.slice(0, 1000).flatMap((record) => [...propertiesOf(text, record).keys()]))

  return {
    count: records.length,
    apply({ deleted, changed, added }) {
      if (!isArray && !isLines && records.length === 1 && added.length + deleted.size > 0)
        throw new Error('The file holds a single object, so no rows can be added or deleted.')
      const unknown = columns.find(
        (name, column) =>
          !known.has(name) &&
          (added.some((cells) => cells[column] !== null) || [...changed.values()].some((cells) => cells.has(column))),
      )
      if (unknown !== undefined) throw new Error(`The objects of the file have no property "${unknown}" to change.`)
      const kept = records.flatMap((record, index) => {
        if (deleted.has(index)) return []
        const cells = changed.get(index)
        return cells === undefined ? text.slice(record.start, record.end) : changedObject(record, cells)
      })
      return head + [...kept, ...added.map(newObject)].join(between) + tail
    },
  }

  function changedObject(record: { start: number; end: number }, cells: ReadonlyMap<number, string | null>): string {
    const properties = propertiesOf(text, record)
    const style = styleOf(record)
    const edits: { start: number; end: number; text: string }[] = []
    const more: string[] = []
    for (const [column, cell] of cells) {
      const name = columns[column] as string
      const value = cell ?? 'null'
      const place = properties.get(name)
      if (place === undefined) more.push(`${JSON.stringify(name)}${style.colon}${value}`)
      else edits.push({ start: place.valueStart, end: place.end, text: value })
    }
    const last = [...properties.values()].at(-1)
    const isEmpty = last === undefined
    if (more.length > 0) {
      const at = last?.end ?? record.start + 1
      edits.push({ start: at, end: at, text: `${isEmpty ? '' : style.comma}${more.join(style.comma)}` })
    }
    let result = ''
    let at = record.start
    for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
      result += text.slice(at, edit.start) + edit.text
      at = edit.end
    }
    return result + text.slice(at, record.end)
  }

  /** Written like the first object of the file. Values that are not given are left out. */
  function newObject(cells: readonly (string | null)[]): string {
    const { open: start, comma, colon, close } = styleOf(first)
    const given = cells.flatMap((cell, column) =>
      cell === null ? [] : [`${JSON.stringify(columns[column])}${colon}${cell}`],
    )
    return given.length === 0 ? '{}' : `{${start}${given.join(comma)}${close}}`
  }

  /** The space around the properties of an object. */
  function styleOf(
    record: { start: number; end: number } | undefined,
  ): Record<'open' | 'comma' | 'colon' | 'close', string> {
    const all = record === undefined ? [] : [...propertiesOf(text, record).values()]
    const [one, two] = all
    const last = all.at(-1)
    return {
      open: one === undefined || record === undefined ? '' : text.slice(record.start + 1, one.start),
      comma: one === undefined || two === undefined ? ', ' : text.slice(one.end, two.start),
      colon: one === undefined ? ': ' : text.slice(one.keyEnd, one.valueStart),
      close: last === undefined || record === undefined ? '' : text.slice(last.end, record.end - 1),
    }
  }
}

interface Property {
  start: number
  keyEnd: number
  valueStart: number
  end: number
}

/** The properties of an object by name. Of two with the same name, the last one counts. */
function propertiesOf(text: string, { start }: { start: number }): Map<string, Property> {
  const found = new Map<string, Property>()
  let at = skipSpace(text, start + 1)
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at)
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = valueEnd(text, valueStart)
    found.set(JSON.parse(text.slice(at, keyEnd)) as string, { start: at, keyEnd, valueStart, end })
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return found
}

function* jsonValues(text: string, from: number): Generator<{ start: number; end: number }> {
  let at = skipSpace(text, from)
  while (at < text.length && text[at] !== ']') {
    const end = valueEnd(text, at)
    if (end === at) throw new Error('The file is not valid JSON.')
    yield { start: at, end }
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/[ \t\r\n]/.test(text[at] ?? 'x')) at++
  return at
}

/** Position after a value. DuckDB has read the file, so it is valid. */
function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start)
  let at = start
  for (let depth = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') at = stringEnd(text, at) - 1
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth <= 0) return depth < 0 ? at : at + 1
    else if (depth === 0 && /[,\s]/.test(char)) return at
  }
  return at
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
