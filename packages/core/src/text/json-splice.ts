export interface JsonStyle {
  /** One level of indentation. Empty if everything is on one line. */
  unit: string
  newline: string
  /** Text after a colon and, on one line, after a comma. */
  gap: string
}

export function detectJsonStyle(text: string): JsonStyle {
  const indent = /^\s*\{\r?\n([ \t]*)"/.exec(text)?.[1]
  return {
    unit: indent ?? '',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    gap: indent === undefined && !/^\s*\{\s*"[^"]*": /.test(text) ? '' : ' ',
  }
}

export function formatJson(value: unknown, { unit, newline, gap }: JsonStyle, depth: number): string {
  if (unit !== '') return JSON.stringify(value, null, unit).replaceAll('\n', newline + unit.repeat(depth))
  return gap === '' ? JSON.stringify(value) : formatJsonInline(value)
}

function formatJsonInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatJsonInline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${formatJsonInline(one)}`)
  return `{${members.join(', ')}}`
}

/** Removes an element with its comma and whitespace. */
export function withoutElement(text: string, spans: readonly JsonSpan[], number: number): string {
  const { start, end } = spans[number]!
  const [before, next] = [spans[number - 1], spans[number + 1]]
  if (next !== undefined) return splice(text, { start, end: next.start }, '')
  if (before !== undefined) return splice(text, { start: before.end, end }, '')
  return splice(text, { start: text.lastIndexOf('[', start) + 1, end: text.indexOf(']', end) }, '')
}

export function withElement(
  text: string,
  spans: readonly JsonSpan[],
  number: number,
  element: string,
  style: JsonStyle,
): string {
  const { unit, newline, gap } = style
  const between = unit === '' ? `,${gap}` : `,${newline}${unit.repeat(2)}`
  const next = spans[number]
  if (next !== undefined) return splice(text, { start: next.start, end: next.start }, element + between)
  const last = spans.at(-1)
  if (last !== undefined) return splice(text, { start: last.end, end: last.end }, between + element)
  const cells = membersAt(text, rootStart(text)).findLast(({ key }) => key === 'cells')!
  const inside = unit === '' ? element : `${newline}${unit.repeat(2)}${element}${newline}${unit}`
  return splice(text, cells.value, `[${inside}]`)
}

export function splice(text: string, { start, end }: JsonSpan, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end)
}

export interface JsonSpan {
  start: number
  end: number
}

interface JsonMember {
  key: string
  /** From the opening quote of the key to the end of the value. */
  whole: JsonSpan
  value: JsonSpan
}

/** Members of the object at this position. The text must be valid JSON. */
export function membersAt(text: string, at: number): JsonMember[] {
  const members: JsonMember[] = []
  for (let next = skipBlanks(text, at + 1); text[next] !== '}';) {
    const keyEnd = skipValue(text, next)
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1)
    const end = skipValue(text, start)
    members.push({
      key: JSON.parse(text.slice(next, keyEnd)) as string,
      whole: { start: next, end },
      value: { start, end },
    })
    next = afterComma(text, end)
  }
  return members
}

export function elementsAt(text: string, at: number): JsonSpan[] {
  const elements: JsonSpan[] = []
  for (let next = skipBlanks(text, at + 1); text[next] !== ']';) {
    const end = skipValue(text, next)
    elements.push({ start: next, end })
    next = afterComma(text, end)
  }
  return elements
}

export function rootStart(text: string): number {
  return skipBlanks(text, 0)
}

function afterComma(text: string, at: number): number {
  const next = skipBlanks(text, at)
  return text[next] === ',' ? skipBlanks(text, next + 1) : next
}

function skipBlanks(text: string, at: number): number {
  let next = at
  while (/[\s\ufeff]/.test(text[next] ?? 'x')) next++
  return next
}

function skipValue(text: string, at: number): number {
  if (text[at] === '"') return skipString(text, at)
  if (text[at] !== '{' && text[at] !== '[') {
    let end = at
    while (/[^\s,\]}]/.test(text[end] ?? ',')) end++
    return end
  }
  let depth = 0
  for (let next = at; next < text.length; next++) {
    const character = text[next]
    if (character === '"') next = skipString(text, next) - 1
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return next + 1
  }
  return text.length
}

function skipString(text: string, at: number): number {
  let next = at + 1
  while (next < text.length && text[next] !== '"') next += text[next] === '\\' ? 2 : 1
  return next + 1
}
