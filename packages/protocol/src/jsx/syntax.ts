/**
 * Syntax of the pages that models write: JSX, the literals and functions around it, and nothing that acts on the world.
 * `at` is the offset in the source.
 */
export type Expression =
  | { kind: 'value'; value: string | number | boolean | null | undefined; at: number }
  | { kind: 'name'; name: string; at: number }
  | { kind: 'template'; texts: string[]; values: Expression[]; at: number }
  | { kind: 'array'; items: ListItem[]; at: number }
  | { kind: 'object'; entries: ObjectEntry[]; at: number }
  | { kind: 'member'; of: Expression; key: Expression; isOptional: boolean; at: number }
  | { kind: 'call'; of: Expression; values: ListItem[]; isOptional: boolean; at: number }
  | { kind: 'new'; name: string; values: ListItem[]; at: number }
  | { kind: 'unary'; operator: string; of: Expression; at: number }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression; at: number }
  | { kind: 'choice'; test: Expression; yes: Expression; no: Expression; at: number }
  | { kind: 'assign'; operator: string; to: Expression; value: Expression; at: number }
  | FunctionExpression
  | ElementExpression

export interface ListItem {
  value: Expression
  isSpread: boolean
}

/** An entry without a key is a spread. */
export interface ObjectEntry {
  key?: Expression
  value: Expression
}

export interface FunctionExpression {
  kind: 'function'
  parameters: Pattern[]
  /** Statements, or the one expression that is returned. */
  body: Statement[] | Expression
  at: number
}

export interface ElementExpression {
  kind: 'element'
  /** Empty for a fragment. */
  name: string
  attributes: Attribute[]
  children: Child[]
  at: number
}

/** An attribute without a name is a spread. */
export interface Attribute {
  name?: string
  value: Expression
  at: number
}

export type Child = { kind: 'text'; text: string } | Expression

export type Pattern = (
  | { kind: 'name'; name: string }
  | { kind: 'array'; items: (Pattern | undefined)[] }
  | { kind: 'object'; entries: { key: string; pattern: Pattern }[]; rest?: string }
) & { otherwise?: Expression; isRest?: boolean }

export type Statement =
  | { kind: 'declare'; pattern: Pattern; value: Expression; at: number }
  | { kind: 'return'; value: Expression | undefined; at: number }
  | { kind: 'if'; test: Expression; yes: Statement[]; no: Statement[]; at: number }
  | { kind: 'for'; start: Statement[]; test: Expression; step: Expression; body: Statement[]; at: number }
  | { kind: 'for-of'; pattern: Pattern; list: Expression; body: Statement[]; at: number }
  | { kind: 'switch'; of: Expression; cases: { test: Expression | undefined; body: Statement[] }[]; at: number }
  | { kind: 'break'; at: number }
  | { kind: 'run'; value: Expression; at: number }

export interface Program {
  statements: Statement[]
  /** Imports of a source, by local name. */
  imports: Map<string, { name: string; module: string }>
  /** Expression of `export default`. */
  exported?: Expression
}

/** A problem at an offset of the source. */
export class JsxRefused extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** The source ends here, and more is expected. Never leaves the parser of an incomplete source. */
export class Incomplete extends Error {}

export const voidTags = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
