import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type JsxProblem, readJsx, type ReadJsx } from '@troupe/protocol'
import { type Node, Parser } from 'acorn'
import jsx from 'acorn-jsx'
import { isInside } from '../files/resolve-path.ts'
import type { AgentState } from '../tool/agent-state.ts'

export const maxJsxLength = 200_000

const parser = Parser.extend(jsx())

/**
 * Checks that a JSX source is one element of our components without expressions. Both a real JSX parser and the page's
 * own reader must accept it.
 */
export function checkJsx(source: string): ReadJsx {
  if (source.length > maxJsxLength)
    return { problem: { message: `It has more than ${maxJsxLength} characters.`, line: 1, column: 1 } }
  const read = readJsx(source)
  if (read.problem !== undefined) return read
  const problem = parsed(source)
  return problem === undefined ? read : { problem }
}

/** Formats as "line 3, column 5: …". */
export function jsxProblemText({ message, line, column }: JsxProblem): string {
  return `line ${line}, column ${column}: ${message}`
}

function parsed(source: string): JsxProblem | undefined {
  try {
    const program = parser.parse(source, { ecmaVersion: 'latest', locations: true })
    const [statement] = program.body
    if (statement?.type !== 'ExpressionStatement') return { message: 'It is not an element.', line: 1, column: 1 }
    const found = findExpression(statement.expression)
    if (found === undefined) return undefined
    const { line, column } = found.loc?.start ?? { line: 1, column: 0 }
    return { message: 'Expressions and spreads are not allowed.', line, column: column + 1 }
  } catch (error) {
    const { message, loc } = error as SyntaxError & { loc?: { line: number; column: number } }
    return { message: message.replace(/ \(\d+:\d+\)$/, '.'), line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 }
  }
}

const markup = new Set(['JSXElement', 'JSXFragment', 'JSXText', 'Literal'])

interface JsxNode extends Node {
  children?: JsxNode[]
  openingElement?: { attributes: (JsxNode & { value?: JsxNode | null })[] }
}

function findExpression(node: Node): Node | undefined {
  const { children = [], openingElement } = node as JsxNode
  if (!markup.has(node.type)) return node
  const values = (openingElement?.attributes ?? []).flatMap((attribute) => {
    if (attribute.type !== 'JSXAttribute') return [attribute]
    return attribute.value == null || attribute.value.type === 'Literal' ? [] : [attribute.value]
  })
  return values[0] ?? children.map(findExpression).find((found) => found !== undefined)
}

export function isJsxFile(real: string, { jsxFolder }: Pick<AgentState, 'jsxFolder'>): boolean {
  return isInside(real, jsxFolder) && path.extname(real) === '.jsx'
}

/** Note for the model after it changes a preview. Undefined for other files. */
export function jsxNote(real: string, state: Pick<AgentState, 'jsxFolder'>): string | undefined {
  if (!isJsxFile(real, state) || statSync(real, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  const { problem } = checkJsx(readFileSync(real, 'utf8'))
  if (problem === undefined) return 'The preview is valid and shown.'
  return `The preview is invalid and not shown: ${jsxProblemText(problem)}`
}
