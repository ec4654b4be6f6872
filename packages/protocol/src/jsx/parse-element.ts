import { decodeEntities, jsxText } from '../ui/read-jsx.ts'
import type { Scanner } from './scanner.ts'
import { type Attribute, type Child, type ElementExpression, Incomplete, voidTags } from './syntax.ts'

const maxDepth = 120
/** Their content is text, as in HTML. */
const textTags = new Set(['style', 'script', 'title'])

export function parseElement(scanner: Scanner): ElementExpression {
  const start = scanner.at
  if ((scanner.depth += 1) > maxDepth) scanner.fail(`Elements are nested more than ${maxDepth} levels deep.`)
  scanner.at += 1
  scanner.skip()
  const name = scanner.match(/[A-Za-z][\w.:-]*/y)
  if (name === '' && !scanner.sees('>'))
    scanner.ended('A tag name is missing after "<". In text, write "<" as &lt; or {\'<\'}.')
  const attributes = parseAttributes(scanner, name)
  const element: ElementExpression = { kind: 'element', name, attributes, children: [], at: start }
  if (scanner.takes('/')) scanner.expect('>')
  else {
    if (!scanner.takes('>') && !(scanner.partial && scanner.isAtEnd()))
      scanner.fail(`A ">" is missing at the end of <${name}>.`)
    if (!voidTags.has(name)) element.children = parseChildren(scanner, name, start)
  }
  scanner.depth -= 1
  return element
}

function parseAttributes(scanner: Scanner, tag: string): Attribute[] {
  const attributes: Attribute[] = []
  for (;;) {
    scanner.skip()
    const at = scanner.at
    if (scanner.takes('{')) {
      scanner.expect('...', `Inside <${tag}>, braces hold a spread. Write name={value}.`)
      attributes.push({ value: scanner.parse.expression(scanner), at })
      scanner.expect('}')
      continue
    }
    const name = scanner.match(/[A-Za-z_@:][\w:.@-]*/y)
    if (name === '') return attributes
    const depth = scanner.depth
    try {
      attributes.push({ name, value: parseValue(scanner, name), at })
    } catch (error) {
      if (!(error instanceof Incomplete)) throw error
      scanner.depth = depth
      return attributes
    }
  }
}

function parseValue(scanner: Scanner, name: string): Attribute['value'] {
  const at = scanner.at
  if (!scanner.takes('=')) {
    if (scanner.partial && scanner.isAtEnd()) throw new Incomplete()
    return { kind: 'value', value: true, at }
  }
  scanner.skip()
  const quote = scanner.source[scanner.at]
  if (quote === '"' || quote === "'") {
    const close = scanner.source.indexOf(quote, scanner.at + 1)
    if (close < 0) {
      const open = scanner.at
      scanner.at = scanner.source.length
      if (scanner.partial) throw new Incomplete()
      scanner.fail(`The quote after ${name}= is never closed.`, open)
    }
    const value = decodeEntities(scanner.source.slice(scanner.at + 1, close))
    scanner.at = close + 1
    return { kind: 'value', value, at }
  }
  if (quote === '<') return parseElement(scanner)
  if (quote !== '{') return scanner.ended(`The value of "${name}" needs quotes or braces: ${name}="…" or ${name}={…}.`)
  scanner.at += 1
  const value = scanner.parse.expression(scanner)
  scanner.expect('}', `The brace after ${name}= must be closed.`)
  return value
}

function parseChildren(scanner: Scanner, name: string, start: number): Child[] {
  const children: Child[] = []
  for (;;) {
    const text = textTags.has(name) ? rawText(scanner, name) : jsxText(scanner.match(/[^<{]+/y))
    if (text !== '') children.push({ kind: 'text', text })
    if (scanner.isAtEnd()) {
      if (scanner.partial) return children
      scanner.fail(`<${name}> is never closed. Write </${name}> where it ends.`, start)
    }
    if (scanner.sees('{')) {
      const child = parseBraces(scanner)
      if (child !== undefined) children.push(child)
    } else if (scanner.sees('<!')) skipDeclaration(scanner)
    else if (/^<\s*\//.test(scanner.source.slice(scanner.at, scanner.at + 20))) {
      parseClosing(scanner, name)
      return children
    } else children.push(...parseChildElement(scanner))
  }
}

function parseChildElement(scanner: Scanner): Child[] {
  const depth = scanner.depth
  try {
    return [parseElement(scanner)]
  } catch (error) {
    if (!(error instanceof Incomplete)) throw error
    scanner.depth = depth
    return []
  }
}

/** `{…}` among children. Undefined for a comment, and for one that has not arrived yet. */
function parseBraces(scanner: Scanner): Child | undefined {
  const depth = scanner.depth
  try {
    scanner.at += 1
    if (scanner.takes('}')) return undefined
    if (scanner.takes('...')) scanner.skip()
    const value = scanner.parse.expression(scanner)
    scanner.expect('}', "In text, write a brace as {'{'} or &#123;.")
    return value
  } catch (error) {
    if (!(error instanceof Incomplete)) throw error
    scanner.depth = depth
    return undefined
  }
}

function parseClosing(scanner: Scanner, name: string): void {
  const start = scanner.at
  scanner.match(/<\s*\/\s*/y)
  const closed = scanner.match(/[\w.:-]*/y)
  scanner.match(/\s*/y)
  if (scanner.isAtEnd() && scanner.partial) return
  if (closed !== name)
    scanner.fail(`</${closed}> closes nothing: <${name}> is open. Write </${name}> first, or remove this tag.`, start)
  if (!scanner.sees('>')) scanner.fail(`A ">" is missing at the end of </${closed}.`)
  scanner.at += 1
}

/** `<!-- … -->` and `<!doctype …>`. */
export function skipDeclaration(scanner: Scanner): void {
  const close = scanner.sees('<!--') ? '-->' : '>'
  const end = scanner.source.indexOf(close, scanner.at)
  scanner.at = end < 0 ? scanner.source.length : end + close.length
}

/** Text of a style or script that is not in braces. */
function rawText(scanner: Scanner, name: string): string {
  if (/^\s*\{\s*[`'"]/.test(scanner.source.slice(scanner.at, scanner.at + 200))) {
    scanner.match(/\s*/y)
    return ''
  }
  const end = scanner.source.indexOf(`</${name}`, scanner.at)
  const text = scanner.source.slice(scanner.at, end < 0 ? undefined : end)
  if (text.startsWith('{') || text.trim() === '') {
    scanner.match(/\s*/y)
    return ''
  }
  scanner.at += text.length
  return text
}
