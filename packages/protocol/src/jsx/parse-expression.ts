import { parseElement } from './parse-element.ts'
import { parseArrow, parseFunction } from './parse-function.ts'
import { parseEscape, parseKey, parseString } from './parse-literals.ts'
import type { Scanner } from './scanner.ts'
import { type Expression, Incomplete, type ListItem, type ObjectEntry } from './syntax.ts'

const maxDepth = 200

export function parseExpression(scanner: Scanner): Expression {
  if ((scanner.depth += 1) > maxDepth)
    scanner.fail(`It is nested more than ${maxDepth} levels deep. Split it into parts.`)
  const read = parseAssignment(scanner)
  scanner.depth -= 1
  return read
}

function parseAssignment(scanner: Scanner): Expression {
  scanner.skip()
  const arrow = parseArrow(scanner)
  if (arrow !== undefined) return arrow
  const start = scanner.at
  const test = parseBinary(scanner, 0)
  scanner.skip()
  if (scanner.sees('?') && !scanner.sees('?.') && !scanner.sees('??')) {
    scanner.at += 1
    const yes = parseExpression(scanner)
    scanner.expect(':', 'A choice is written as test ? yes : no.')
    return { kind: 'choice', test, yes, no: parseExpression(scanner), at: start }
  }
  const operator = scanner.match(/(?:[+\-*/%]|\*\*|\?\?|\|\||&&)?=(?![=>])/y)
  if (operator === '') return test
  if (test.kind !== 'name' && test.kind !== 'member') scanner.fail('Only a name or a field can be assigned.', start)
  return { kind: 'assign', operator, to: test, value: parseExpression(scanner), at: start }
}

const precedence: Record<string, number> = {
  '??': 1,
  '||': 1,
  '&&': 2,
  '===': 3,
  '!==': 3,
  '==': 3,
  '!=': 3,
  '<=': 4,
  '>=': 4,
  '<': 4,
  '>': 4,
  in: 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
  '**': 7,
}

function parseBinary(scanner: Scanner, least: number): Expression {
  let left = parseUnary(scanner)
  for (;;) {
    scanner.skip()
    const before = scanner.at
    const operator = scanner.match(/\?\?(?!=)|\|\|(?!=)|&&(?!=)|[=!]==?|[<>]=?|\*\*(?!=)|[+\-*/%](?!=)|in\b/y)
    const level = precedence[operator] ?? 0
    if (operator === '' || level <= least) {
      scanner.at = before
      return left
    }
    left = { kind: 'binary', operator, left, right: parseBinary(scanner, level), at: before }
  }
}

function parseUnary(scanner: Scanner): Expression {
  scanner.skip()
  const at = scanner.at
  const step = scanner.match(/\+\+|--/y)
  if (step !== '') return stepped(parseUnary(scanner), step, at)
  const operator = scanner.match(/[!+-]|typeof\b|void\b|await\b/y)
  if (operator === 'await') scanner.fail('Nothing can be awaited: a page has no network. Write the data itself.', at)
  if (operator !== '') return { kind: 'unary', operator, of: parseUnary(scanner), at }
  const value = parsePostfix(scanner)
  const after = scanner.match(/\+\+|--/y)
  return after === '' ? value : stepped(value, after, at)
}

function stepped(to: Expression, step: string, at: number): Expression {
  return { kind: 'assign', operator: `${step[0]}=`, to, value: { kind: 'value', value: 1, at }, at }
}

function parsePostfix(scanner: Scanner): Expression {
  let of = parsePrimary(scanner)
  for (;;) {
    const at = scanner.at
    scanner.skip()
    // Type arguments of a call, such as useState<string>('').
    if (of.kind === 'name' && /^use[A-Z]/.test(of.name) && scanner.sees('<'))
      scanner.match(/<[\w\s|,.[\]{}:;'"?<>]*>(?=\()/y)
    const isOptional = scanner.takes('?.')
    if (scanner.takes('(')) of = { kind: 'call', of, values: parseList(scanner, ')'), isOptional, at }
    else if (scanner.takes('[')) {
      const key = parseExpression(scanner)
      scanner.expect(']')
      of = { kind: 'member', of, key, isOptional, at }
    } else if (isOptional || (scanner.sees('.') && !scanner.sees('...'))) {
      if (!isOptional) scanner.at += 1
      scanner.skip()
      const name = scanner.match(/[\p{L}_$][\p{L}\p{N}_$]*/uy)
      if (name === '') scanner.ended('A name is missing after the dot.')
      of = { kind: 'member', of, key: { kind: 'value', value: name, at }, isOptional, at }
    } else if (scanner.takesWord('as') || scanner.takesWord('satisfies')) scanner.skipType(',;)]}\n?:=&|+')
    else if (scanner.sees('!') && !scanner.sees('!=')) scanner.at += 1
    else {
      return of
    }
  }
}

function parsePrimary(scanner: Scanner): Expression {
  scanner.skip()
  const at = scanner.at
  const char = scanner.source[at]
  if (char === undefined) return scanner.ended('The source ends here, but a value is expected.')
  if (char === '"' || char === "'") return { kind: 'value', value: parseString(scanner, char), at }
  if (char === '`') return parseTemplate(scanner)
  if (char === '<') return parseElement(scanner)
  if (scanner.takes('[')) return { kind: 'array', items: parseList(scanner, ']'), at }
  if (char === '{') return parseObject(scanner)
  if (scanner.takes('(')) {
    const inner = parseExpression(scanner)
    scanner.expect(')')
    return inner
  }
  const number = scanner.match(/0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y)
  if (number !== '') return { kind: 'value', value: Number(number.replaceAll('_', '')), at }
  if (char === '/') scanner.fail('Regular expressions are not available. Write the text itself.')
  const name = scanner.match(/[\p{L}_$][\p{L}\p{N}_$]*/uy)
  if (name === '') scanner.fail(`Unexpected "${char}". In text, write a brace as {'{'} or &#123;.`)
  return parseNamed(scanner, name, at)
}

const words = new Map<string, boolean | null | undefined>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
])

function parseNamed(scanner: Scanner, name: string, at: number): Expression {
  // More of the name may arrive.
  if (scanner.partial && scanner.isAtEnd()) throw new Incomplete()
  if (words.has(name)) return { kind: 'value', value: words.get(name), at }
  if (name === 'function') {
    scanner.match(/\s*[\w$]+/y)
    return parseFunction(scanner, at)
  }
  if (name === 'new') {
    scanner.skip()
    const made = scanner.match(/[\w$.]+/y)
    return { kind: 'new', name: made, values: scanner.takes('(') ? parseList(scanner, ')') : [], at }
  }
  if (['class', 'async', 'import', 'this', 'delete', 'yield'].includes(name))
    scanner.fail(`"${name}" is not available in a page. Write the values and the markup themselves.`, at)
  return { kind: 'name', name, at }
}

function parseTemplate(scanner: Scanner): Expression {
  const at = scanner.at
  scanner.at += 1
  const texts = ['']
  const values: Expression[] = []
  for (;;) {
    texts[texts.length - 1] += scanner.match(/[^`\\$]+/y)
    const char = scanner.source[scanner.at]
    if (char === undefined) return scanner.ended('The backtick ` is never closed.')
    scanner.at += 1
    if (char === '`') return { kind: 'template', texts, values, at }
    if (char === '\\') texts[texts.length - 1] += parseEscape(scanner)
    else if (scanner.sees('{')) {
      scanner.at += 1
      values.push(parseExpression(scanner))
      scanner.expect('}')
      texts.push('')
    } else texts[texts.length - 1] += char
  }
}

/** After the opening bracket, up to and including the closing one. */
export function parseList(scanner: Scanner, close: string): ListItem[] {
  const items: ListItem[] = []
  while (!scanner.takes(close)) {
    if (scanner.partial && scanner.isAtEnd()) return items
    const isSpread = scanner.takes('...')
    items.push({ value: parseExpression(scanner), isSpread })
    if (!scanner.takes(',')) {
      scanner.expect(close, `Values are separated by commas.`)
      return items
    }
  }
  return items
}

function parseObject(scanner: Scanner): Expression {
  const at = scanner.at
  scanner.at += 1
  const entries: ObjectEntry[] = []
  while (!scanner.takes('}')) {
    if (scanner.takes('...')) entries.push({ value: parseExpression(scanner) })
    else entries.push(parseEntry(scanner))
    if (!scanner.takes(',')) {
      scanner.expect('}', 'Fields are separated by commas.')
      break
    }
  }
  return { kind: 'object', entries, at }
}

function parseEntry(scanner: Scanner): ObjectEntry {
  scanner.skip()
  const at = scanner.at
  const isComputed = scanner.takes('[')
  const key = isComputed ? parseExpression(scanner) : parseKey(scanner)
  if (isComputed) scanner.expect(']')
  if (scanner.takes(':')) return { key, value: parseExpression(scanner) }
  scanner.skip()
  if (scanner.sees('(')) return { key, value: parseFunction(scanner, at) }
  if (key.kind === 'value' && typeof key.value === 'string' && !isComputed)
    return { key, value: { kind: 'name', name: key.value, at } }
  return scanner.ended('A ":" is missing after the field name.')
}
