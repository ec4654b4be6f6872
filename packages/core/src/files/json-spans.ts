/** Where a value lies in a JSON text. */
export interface JsonSpan {
  start: number
  end: number
}

export interface JsonMember {
  key: string
  /** From the quote of the key to the end of the value. */
  whole: JsonSpan
  value: JsonSpan
}

/** The members of the object that begins at this place. The text must be valid JSON. */
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

/** The elements of the array that begins at this place. */
export function elementsAt(text: string, at: number): JsonSpan[] {
  const elements: JsonSpan[] = []
  for (let next = skipBlanks(text, at + 1); text[next] !== ']';) {
    const end = skipValue(text, next)
    elements.push({ start: next, end })
    next = afterComma(text, end)
  }
  return elements
}

/** Where the text's one value begins. */
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
