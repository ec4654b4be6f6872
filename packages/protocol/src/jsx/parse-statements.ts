import { parseElement, skipDeclaration } from './parse-element.ts'
import { parseExpression } from './parse-expression.ts'
import { parseFunction, parsePattern } from './parse-function.ts'
import { parseString } from './parse-literals.ts'
import { createScanner, type Scanner } from './scanner.ts'
import { type Expression, Incomplete, type Program, type Statement } from './syntax.ts'

/** Reads a whole source: markup alone, or with the data, functions, imports and exports around it. */
export function parseProgram(source: string, { partial = false } = {}): Program {
  const scanner = createScanner(source.replace(/^\uFEFF/, ' '), {
    partial,
    expression: parseExpression,
    block: parseBlock,
  })
  const program: Program = { statements: [], imports: new Map() }
  try {
    for (;;) {
      scanner.skip()
      if (scanner.isAtEnd()) return program
      if (scanner.sees('<!')) skipDeclaration(scanner)
      else parseTop(scanner, program)
    }
  } catch (error) {
    if (!(error instanceof Incomplete)) throw error
    return program
  }
}

function parseTop(scanner: Scanner, program: Program): void {
  if (scanner.takesWord('import')) return parseImport(scanner, program)
  if (!scanner.takesWord('export')) {
    program.statements.push(...parseStatement(scanner))
    return
  }
  if (!scanner.takesWord('default')) {
    program.statements.push(...parseStatement(scanner))
    return
  }
  scanner.skip()
  const at = scanner.at
  const name = scanner.takesWord('function') ? scanner.match(/\s*[\w$]+/y).trim() : undefined
  const value: Expression = name === undefined ? parseExpression(scanner) : parseFunction(scanner, at)
  scanner.takes(';')
  if (name !== undefined && name !== '')
    program.statements.push({ kind: 'declare', pattern: { kind: 'name', name }, value, at })
  program.exported = value
}

function parseImport(scanner: Scanner, { imports }: Program): void {
  const names = scanner.match(/[^'"]*/y)
  const quote = scanner.source[scanner.at]
  if (quote === undefined) scanner.ended('The module of this import is missing.')
  const module = parseString(scanner, quote as string)
  for (const [, name = '', local = name] of names.matchAll(/([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?/g))
    imports.set(local, { name, module })
  scanner.takes(';')
}

/** `{ … }` */
function parseBlock(scanner: Scanner): Statement[] {
  scanner.expect('{')
  const statements: Statement[] = []
  const depth = scanner.depth
  try {
    while (!scanner.takes('}')) {
      if (scanner.isAtEnd()) scanner.ended('A "}" is missing at the end.')
      statements.push(...parseStatement(scanner))
    }
  } catch (error) {
    if (!(error instanceof Incomplete)) throw error
    scanner.depth = depth
  }
  return statements
}

function parseStatement(scanner: Scanner): Statement[] {
  scanner.skip()
  const at = scanner.at
  if (scanner.takes(';')) return []
  const word =
    /^(?:const|let|var|function|return|if|for|while|switch|break|interface|type|class|async|try|throw)\b/.exec(
      scanner.source.slice(at, at + 12),
    )?.[0]
  if (word === 'type' && !/^type\s+\w/.test(scanner.source.slice(at, at + 60))) return parseRun(scanner, at)
  if (word === undefined) return parseRun(scanner, at)
  scanner.at += word.length
  switch (word) {
    case 'const':
    case 'let':
    case 'var':
      return parseDeclarations(scanner)
    case 'function': {
      scanner.skip()
      const name = scanner.match(/[\w$]+/y)
      return [{ kind: 'declare', pattern: { kind: 'name', name }, value: parseFunction(scanner, at), at }]
    }
    case 'return': {
      scanner.skip()
      const isEmpty = scanner.sees(';') || scanner.sees('}')
      const value = isEmpty ? undefined : parseExpression(scanner)
      scanner.takes(';')
      return [{ kind: 'return', value, at }]
    }
    case 'if': {
      const test = parseTest(scanner)
      const yes = parseBody(scanner)
      return [{ kind: 'if', test, yes, no: scanner.takesWord('else') ? parseBody(scanner) : [], at }]
    }
    case 'for':
      return [parseFor(scanner, at)]
    case 'switch':
      return [parseSwitch(scanner, at)]
    case 'break':
      scanner.takes(';')
      return [{ kind: 'break', at }]
    case 'interface':
    case 'type':
      skipTypeDeclaration(scanner, word)
      return []
    default:
      return scanner.fail(`"${word}" is not available in a page. ${insteadOf(word)}`, at)
  }
}

function insteadOf(word: string): string {
  if (word === 'while') return 'Use .map or a for loop.'
  if (word === 'async') return 'A page has no network. Write the data itself.'
  return 'Write the values and the markup themselves.'
}

function parseRun(scanner: Scanner, at: number): Statement[] {
  const value = scanner.sees('<') ? parseElement(scanner) : parseExpression(scanner)
  scanner.takes(';')
  return [{ kind: 'run', value, at }]
}

function parseDeclarations(scanner: Scanner): Statement[] {
  const statements: Statement[] = []
  do {
    scanner.skip()
    const at = scanner.at
    const { otherwise, ...pattern } = parsePattern(scanner)
    const value: Expression = otherwise ?? { kind: 'value', value: undefined, at }
    statements.push({ kind: 'declare', pattern, value, at })
  } while (scanner.takes(','))
  scanner.takes(';')
  return statements
}

function parseTest(scanner: Scanner): Expression {
  scanner.expect('(')
  const test = parseExpression(scanner)
  scanner.expect(')')
  return test
}

function parseBody(scanner: Scanner): Statement[] {
  scanner.skip()
  return scanner.sees('{') ? parseBlock(scanner) : parseStatement(scanner)
}

function parseFor(scanner: Scanner, at: number): Statement {
  scanner.expect('(')
  const before = scanner.at
  if (scanner.takesWord('const') || scanner.takesWord('let') || scanner.takesWord('var')) {
    const { otherwise, ...pattern } = parsePattern(scanner)
    if (otherwise === undefined && scanner.takesWord('of')) {
      const list = parseExpression(scanner)
      scanner.expect(')')
      return { kind: 'for-of', pattern, list, body: parseBody(scanner), at }
    }
    scanner.at = before
  }
  const start = parseStatement(scanner)
  const test = parseExpression(scanner)
  scanner.expect(';', 'A loop is written as for (let i = 0; i < 10; i++).')
  const step = parseExpression(scanner)
  scanner.expect(')')
  return { kind: 'for', start, test, step, body: parseBody(scanner), at }
}

function parseSwitch(scanner: Scanner, at: number): Statement {
  const of = parseTest(scanner)
  const cases: { test: Expression | undefined; body: Statement[] }[] = []
  scanner.expect('{')
  while (!scanner.takes('}')) {
    const test = scanner.takesWord('default') ? undefined : caseTest(scanner)
    scanner.expect(':')
    const body: Statement[] = []
    for (;;) {
      scanner.skip()
      if (scanner.isAtEnd()) scanner.ended('A "}" is missing at the end of "switch".')
      if (/^(?:case\b|default\b|\})/.test(scanner.source.slice(scanner.at, scanner.at + 8))) break
      body.push(...(scanner.sees('{') ? parseBlock(scanner) : parseStatement(scanner)))
    }
    cases.push({ test, body })
  }
  return { kind: 'switch', of, cases, at }
}

function caseTest(scanner: Scanner): Expression {
  if (!scanner.takesWord('case')) scanner.ended('"case" is missing here.')
  return parseExpression(scanner)
}

function skipTypeDeclaration(scanner: Scanner, word: string): void {
  scanner.skipType(word === 'interface' ? '{' : '=')
  scanner.at += 1
  if (word === 'interface') {
    scanner.skipType('}')
    scanner.at += 1
  } else scanner.skipType(';\n')
}
