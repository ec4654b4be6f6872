/**
 * The value of a JSON text that may end anywhere, for showing a tool's input while it streams. Incomplete strings are
 * closed, incomplete numbers and words are left out. Never use it to decide what to execute.
 */
export function parsePartialJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    for (const candidate of completions(text)) {
      try {
        return JSON.parse(candidate)
      } catch {
        continue
      }
    }
    return undefined
  }
}

/** Ways to close the text, best first: as it stands, then cut back to the last complete member. */
function* completions(text: string): Generator<string> {
  const closers: string[] = []
  let inString = false
  let escaped = false
  // The end of the last prefix that is complete up to missing brackets, and the brackets it misses.
  let safe = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string
    if (inString) {
      if (escaped) escaped = false
      else if (char === '\\') escaped = true
      else if (char === '"') inString = false
      continue
    }
    if (char === '"') inString = true
    else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']')
      safe = text.slice(0, i + 1) + closers.toReversed().join('')
    } else if (char === '}' || char === ']') {
      closers.pop()
      safe = text.slice(0, i + 1) + closers.toReversed().join('')
    } else if (char === ',') safe = text.slice(0, i) + closers.toReversed().join('')
  }
  const tail = closers.toReversed().join('')
  if (inString) {
    const open = text.replace(/\\(u[0-9a-fA-F]{0,3})?$/, '')
    yield `${open}"${tail}`
  } else {
    yield text + tail
    const word = /(t|tr|tru|f|fa|fal|fals|n|nu|nul)$/.exec(text)?.[0]
    if (word !== undefined) {
      const whole = ['true', 'false', 'null'].find((candidate) => candidate.startsWith(word)) as string
      yield text.slice(0, -word.length) + whole + tail
    }
    yield text.replace(/[-+.eE]+$/, '') + tail
  }
  if (safe !== '') yield safe
}
