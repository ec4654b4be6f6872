import { parseKey } from './parse-literals.ts'
import type { Scanner } from './scanner.ts'
import type { FunctionExpression, Pattern } from './syntax.ts'

/** `x =>`, `(a, {b}) =>`. Undefined if no arrow function comes next. */
export function parseArrow(scanner: Scanner): FunctionExpression | undefined {
  const at = scanner.at
  const single = scanner.match(/[\p{L}_$][\p{L}\p{N}_$]*(?=\s*=>)/uy)
  if (single !== '') {
    scanner.takes('=>')
    return arrowOf(scanner, [{ kind: 'name', name: single }], at)
  }
  if (!scanner.sees('(') || !isArrowAhead(scanner)) return undefined
  const parameters = parseParameters(scanner)
  if (scanner.takes(':')) scanner.skipType('>')
  scanner.expect('=>')
  return arrowOf(scanner, parameters, at)
}

/** Finds the parenthesis that closes this one, and looks for an arrow after it. */
function isArrowAhead({ source, at }: Scanner): boolean {
  let depth = 0
  let braces = 0
  for (let index = at; index < source.length; index += 1) {
    const char = source[index] as string
    if (char === '"' || char === "'" || char === '`') {
      index = source.indexOf(char, index + 1)
      if (index < 0) return false
    }
    if (char === '(') depth += 1
    if (char === '{') braces += 1
    if (char === '}') braces -= 1
    // Parameters hold no statements and no markup. After a word, "<" belongs to a type.
    if ((char === ';' && braces === 0) || (char === '<' && !/\w/.test(source[index - 1] ?? ''))) return false
    if (char === ')' && (depth -= 1) === 0) return /^\s*(?::[^=;(){}]+)?=>/.test(source.slice(index + 1, index + 200))
  }
  return false
}

function arrowOf(scanner: Scanner, parameters: Pattern[], at: number): FunctionExpression {
  scanner.skip()
  const body = scanner.sees('{') ? scanner.parse.block(scanner) : scanner.parse.expression(scanner)
  return { kind: 'function', parameters, body, at }
}

/** From the parameters on. */
export function parseFunction(scanner: Scanner, at: number): FunctionExpression {
  scanner.skip()
  const parameters = parseParameters(scanner)
  if (scanner.takes(':')) scanner.skipType('{')
  return { kind: 'function', parameters, body: scanner.parse.block(scanner), at }
}

function parseParameters(scanner: Scanner): Pattern[] {
  scanner.expect('(')
  const parameters: Pattern[] = []
  while (!scanner.takes(')')) {
    if (scanner.partial && scanner.isAtEnd()) return parameters
    const isRest = scanner.takes('...')
    parameters.push({ ...parsePattern(scanner), ...(isRest && { isRest }) })
    if (!scanner.takes(',')) {
      scanner.expect(')')
      break
    }
  }
  return parameters
}

export function parsePattern(scanner: Scanner): Pattern {
  const pattern = parseBarePattern(scanner)
  scanner.match(/\s*\?(?=\s*:)/y)
  if (scanner.takes(':')) scanner.skipType(',)=;')
  scanner.skip()
  if (!scanner.sees('=') || scanner.sees('=>')) return pattern
  scanner.at += 1
  return { ...pattern, otherwise: scanner.parse.expression(scanner) }
}

function parseBarePattern(scanner: Scanner): Pattern {
  if (scanner.takes('[')) {
    const items: (Pattern | undefined)[] = []
    while (!scanner.takes(']')) {
      if (scanner.takes(',')) {
        items.push(undefined)
        continue
      }
      items.push(withDefault(scanner, parseBarePattern(scanner)))
      if (!scanner.takes(',')) {
        scanner.expect(']')
        break
      }
    }
    return { kind: 'array', items }
  }
  if (scanner.takes('{')) return parseObjectPattern(scanner)
  scanner.skip()
  const name = scanner.match(/[\p{L}_$][\p{L}\p{N}_$]*/uy)
  if (name === '') return scanner.ended('A name is missing here.')
  return { kind: 'name', name }
}

function parseObjectPattern(scanner: Scanner): Pattern {
  const entries: { key: string; pattern: Pattern }[] = []
  let rest: string | undefined
  while (!scanner.takes('}')) {
    if (scanner.takes('...')) rest = scanner.match(/[\w$]+/y)
    else {
      scanner.skip()
      const key = String(parseKey(scanner).value)
      const inner: Pattern = scanner.takes(':') ? parseBarePattern(scanner) : { kind: 'name', name: key }
      entries.push({ key, pattern: withDefault(scanner, inner) })
    }
    if (!scanner.takes(',')) {
      scanner.expect('}')
      break
    }
  }
  return { kind: 'object', entries, ...(rest !== undefined && { rest }) }
}

function withDefault(scanner: Scanner, pattern: Pattern): Pattern {
  return scanner.takes('=') ? { ...pattern, otherwise: scanner.parse.expression(scanner) } : pattern
}
