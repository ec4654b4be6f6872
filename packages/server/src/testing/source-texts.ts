import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const packages = path.resolve(import.meta.dirname, '../../..')
/** A text stands for many if parts of it depend on conditions. */
const maxVariants = 64
/** Texts for programs and models: schema descriptions, route summaries, logs, SQL. */
const otherReaders = new Set(['describe', 'meta', 'logger', 'log', 'sql', 'prepare', 'exec'])
const otherKeys = new Set(['summary', 'answers', 'description', 'systemPrompt', 'instructions'])

/** A node of the syntax tree. The parser's own types do not cover walking it. */
interface Node {
  type: string
  [key: string]: unknown
}

/**
 * Returns the texts in sources that match the patterns, relative to `packages`. Filled-in values become `X`. A text with
 * conditions in it is returned once for each outcome.
 */
export function sourceTexts(...patterns: readonly string[]): string[] {
  return collect(patterns, (file) => textsIn(file))
}

/** Returns the messages of the errors that sources create, as `sourceTexts` does. */
export function errorTexts(...patterns: readonly string[]): string[] {
  return collect(patterns, (file) => textsIn(file, ({ type, callee }) => type === 'NewExpression' && isError(callee)))
}

function collect(patterns: readonly string[], texts: (file: string) => string[]): string[] {
  const files = globSync(patterns.map((pattern) => path.join(packages, pattern)))
  return [...new Set(files.filter((file) => !/\.test\.ts$|\/testing\//.test(file)).flatMap(texts))]
}

const isError = (callee: unknown): boolean => nameOf(callee).endsWith('Error')

/** Collects texts, all or only those inside of nodes that match. */
function textsIn(file: string, within: (node: Node) => boolean = ({ type }) => type === 'Program'): string[] {
  const program = parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }) as unknown as Node
  const constants = new Map<string, Node | undefined>()
  visit(program, (node) => {
    const { id, init } = node as unknown as { id?: Node; init?: Node | null }
    if (node.type !== 'VariableDeclarator' || id?.type !== 'Identifier' || !init) return true
    const name = String(id['name'])
    // Of names that are used twice nothing is known.
    constants.set(name, constants.has(name) ? undefined : init)
    return true
  })
  const found: string[] = []
  visit(program, (outer) => {
    if (!within(outer)) return true
    visit(outer['arguments'] ?? outer['body'], (node) => {
      if (node.type === 'ImportDeclaration' || isForOthers(node)) return false
      if (node.type === 'Property') return !otherKeys.has(nameOf(node['key']))
      if (!isText(node)) return true
      found.push(...variants(node, constants))
      return false
    })
    return false
  })
  return found
}

function isForOthers({ type, callee, tag }: Node): boolean {
  if (type === 'TaggedTemplateExpression') return otherReaders.has(nameOf(tag))
  return type === 'CallExpression' && otherReaders.has(nameOf(callee))
}

/** Returns all texts that an expression can become. */
function variants(node: Node, constants: ReadonlyMap<string, Node | undefined>, depth = 0): string[] {
  const of = (part: unknown): string[] => variants(part as Node, constants, depth + 1)
  if (depth > 8) return ['X']
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? [node['value']] : ['X']
    case 'TemplateLiteral': {
      const quasis = node['quasis'] as { value: { cooked: string } }[]
      const parts = (node['expressions'] as Node[]).map((part) => of(part))
      return quasis
        .slice(1)
        .reduce(
          (texts, quasi, index) => combine(combine(texts, parts[index] ?? ['X']), [quasi.value.cooked]),
          [quasis[0]?.value.cooked ?? ''],
        )
    }
    case 'BinaryExpression':
      return combine(of(node['left']), of(node['right']))
    case 'ConditionalExpression':
      return [...new Set([...of(node['consequent']), ...of(node['alternate'])])]
    case 'LogicalExpression':
      return [...new Set(['X', ...of(node['right'])])]
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return of(node['expression'])
    case 'Identifier': {
      const constant = constants.get(String(node['name']))
      return constant !== undefined && isText(constant) ? of(constant) : ['X']
    }
    default:
      return ['X']
  }
}

function combine(left: readonly string[], right: readonly string[]): string[] {
  return left.flatMap((start) => right.map((end) => start + end)).slice(0, maxVariants)
}

function isText({ type, value, left, right, consequent, alternate }: Node): boolean {
  if (type === 'Literal') return typeof value === 'string'
  if (type === 'BinaryExpression') return isText(left as Node) || isText(right as Node)
  if (type === 'ConditionalExpression') return isText(consequent as Node) && isText(alternate as Node)
  return type === 'TemplateLiteral'
}

/** Returns the last name of an expression: `c` of `a.b.c`. */
function nameOf(node: unknown): string {
  const { type, name, property, callee } = (node ?? {}) as Node
  if (type === 'MemberExpression') return nameOf(property)
  if (type === 'CallExpression') return nameOf(callee)
  return typeof name === 'string' ? name : ''
}

function visit(node: unknown, see: (node: Node) => boolean): void {
  if (Array.isArray(node)) for (const each of node as unknown[]) visit(each, see)
  else if (typeof node === 'object' && node !== null) {
    if ('type' in node && !see(node as Node)) return
    for (const [key, part] of Object.entries(node)) if (key !== 'type') visit(part, see)
  }
}
