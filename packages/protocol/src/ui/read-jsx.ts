import {
  findComponent,
  readAttribute,
  type UiElement,
  uiLimits,
  type UiNode,
  type UiValue,
  unknownComponent,
} from './ui-tree.ts'

export interface JsxProblem {
  message: string
  /** 1-based. */
  line: number
  column: number
}

export type ReadJsx = { root: UiElement; problem?: undefined } | { root?: undefined; problem: JsxProblem }

export const fragment = 'Stack'

/**
 * Parses the markup subset of JSX: tags, quoted attributes, text. No expressions or spreads. `partial`: accepts an
 * incomplete source and closes it.
 */
export function readJsx(source: string, { partial = false } = {}): ReadJsx {
  let at = 0
  let count = 0
  try {
    skipSpace()
    const root = readElement(0)
    skipSpace()
    if (at < source.length) fail('There must be a single root element. Put the rest inside it.')
    return { root }
  } catch (error) {
    if (!(error instanceof JsxRefused)) throw error
    const before = source.slice(0, error.at)
    const line = before.split('\n').length
    return { problem: { message: error.message, line, column: before.length - before.lastIndexOf('\n') } }
  }

  function readElement(depth: number): UiElement {
    const start = at
    if (source[at] !== '<') fail(at >= source.length ? 'It is empty.' : 'It must start with an element.')
    if ((count += 1) > uiLimits.elements) fail(`There are more than ${uiLimits.elements} elements.`)
    if (depth > uiLimits.depth) fail(`Elements are nested more than ${uiLimits.depth} levels deep.`)
    at += 1
    const name = match(/[A-Za-z][\w.:-]*/y)
    const component = name === '' ? { attributes: {} } : findComponent(name)
    if (component === undefined) fail(unknownComponent(name), start)
    const type = name === '' ? fragment : name
    const attributes = readAttributes(type)
    const missing = component.needs?.find((need) => attributes[need] === undefined)
    if (missing !== undefined) fail(`<${type}> needs "${missing}".`, start)
    if (source.startsWith('/>', at)) {
      at += 2
      return { type, attributes, children: [] }
    }
    if (source[at] !== '>') end(`A ">" is missing at the end of <${name}>.`)
    at += 1
    const children = readChildren(name, depth)
    if (component.children === 'none' && children.length > 0) fail(`<${type}> cannot have children.`, start)
    return { type, attributes, children }
  }

  function readAttributes(type: string): Record<string, UiValue> {
    const attributes: Record<string, UiValue> = {}
    for (;;) {
      skipSpace()
      const start = at
      if (source[at] === '{') fail('Spreads ({...}) are not allowed. Write each attribute with quotes.')
      const name = match(/[A-Za-z_][\w:.-]*/y)
      if (name === '') return attributes
      skipSpace()
      if (partial && at >= source.length) return attributes
      const value = source[at] === '=' ? readValue(name) : true
      if (value === undefined) return attributes
      const read = readAttribute(type, name, value)
      if (read.problem !== undefined) fail(read.problem, start)
      attributes[name] = read.value
    }
  }

  /** Returns undefined if the end has not arrived. */
  function readValue(name: string): string | undefined {
    at += 1
    skipSpace()
    const quote = source[at]
    if (quote === '{') fail(`Expressions ({…}) are not allowed. Write ${name}="…" with quotes.`)
    if (quote !== '"' && quote !== "'") return end(`The value of "${name}" needs quotes.`)
    const close = source.indexOf(quote, at + 1)
    if (close < 0 && partial) at = source.length
    if (close < 0) return end(`The quote after ${name}= is never closed.`)
    const value = source.slice(at + 1, close)
    at = close + 1
    return decodeEntities(value)
  }

  function readChildren(name: string, depth: number): UiNode[] {
    const children: UiNode[] = []
    for (;;) {
      const text = match(/[^<{}>]+/y)
      const said = jsxText(text)
      if (said !== '') children.push(said)
      if (at >= source.length) {
        end(`<${name}> is never closed. Write </${name}> where it ends.`)
        return children
      }
      if (source[at] === '{') fail('Expressions ({…}) are not allowed. Write the text itself, and &#123; for a brace.')
      if (source[at] === '}') fail('Write a brace as &#125;.')
      if (source[at] === '>') fail('Write ">" in text as &gt;.')
      if (source.startsWith('</', at)) {
        const start = at
        at += 2
        skipSpace()
        const closed = match(/[\w.:-]*/y)
        skipSpace()
        const isWhole = source[at] === '>'
        if (isWhole && closed !== name) fail(`</${closed}> closes nothing: <${name}> is open.`, start)
        if (isWhole) at += 1
        else end(`A ">" is missing at the end of </${closed}.`)
        return children
      }
      // An incomplete tag, with nothing usable yet.
      if (partial && !source.includes('>', at)) {
        at = source.length
        return children
      }
      children.push(readElement(depth + 1))
    }
  }

  function match(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0] ?? ''
    at += found.length
    return found
  }

  function skipSpace(): void {
    match(/\s+/y)
  }

  /** The source ends too early: an error unless more is expected. */
  function end(message: string): undefined {
    if (!partial || at < source.length) fail(message)
    at = source.length
    return undefined
  }

  function fail(message: string, position = at): never {
    throw new JsxRefused(message, position)
  }
}

class JsxRefused extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** Trims text by JSX rules: line breaks and the whitespace around them are dropped. */
export function jsxText(raw: string): string {
  const lines = raw.split(/\r\n|\n|\r/)
  const kept = lines.map((line, index) => {
    const begun = index === 0 ? line : line.replace(/^[ \t]+/, '')
    return index === lines.length - 1 ? begun : begun.replace(/[ \t]+$/, '')
  })
  return decodeEntities(kept.filter((line) => line !== '').join(' '))
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  middot: '·',
  bull: '•',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  euro: '€',
  pound: '£',
  yen: '¥',
  sect: '§',
  frac12: '½',
  ne: '≠',
  le: '≤',
  ge: '≥',
}

export function decodeEntities(text: string): string {
  return text.replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,10});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return (Object.hasOwn(entities, name) ? entities[name] : undefined) ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
