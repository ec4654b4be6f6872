import type { Expression, FunctionExpression } from './syntax.ts'

/** An element of the page as it is written into HTML: names and texts, all checked. */
export interface PageElement {
  tag: string
  attributes: Record<string, string | true>
  children: PageNode[]
}

export type PageNode = string | PageElement

/** Values of the small language that pages are written in. No value is a function or class of the host. */
export type Value =
  | string
  | number
  | boolean
  | null
  | undefined
  | Value[]
  | Fields
  | Closure
  | Native
  | Shown
  | Moment
  | Named

/** Has no prototype, so that every name in it is the source's own. */
export interface Fields {
  [name: string]: Value
}

export class Closure {
  readonly code: FunctionExpression
  readonly scope: Scope
  constructor(code: FunctionExpression, scope: Scope) {
    this.code = code
    this.scope = scope
  }
}

export class Native {
  readonly call: (values: Value[], at: number) => Value
  constructor(call: (values: Value[], at: number) => Value) {
    this.call = call
  }
}

export class Shown {
  readonly nodes: PageNode[]
  constructor(nodes: PageNode[]) {
    this.nodes = nodes
  }
}

/** A built-in component or icon, by name. */
export class Named {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A date. */
export class Moment {
  readonly date: Date
  constructor(date: Date) {
    this.date = date
  }
}

export class Scope {
  private readonly names = new Map<string, Value>()
  private readonly parent: Scope | undefined
  constructor(parent?: Scope) {
    this.parent = parent
  }
  holder(name: string): Scope | undefined {
    return this.names.has(name) ? this : this.parent?.holder(name)
  }
  get(name: string): Value {
    return this.names.get(name)
  }
  set(name: string, value: Value): void {
    this.names.set(name, value)
  }
}

export function fields(entries: Record<string, Value> = {}): Fields {
  return Object.assign(Object.create(null) as Fields, entries)
}

export function isFields(value: Value): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

const maxJoined = 100_000
const maxListDepth = 8

/** Text as `String(value)` gives it, for values that have one. Lists inside lists end after some levels. */
export function textOf(value: Value, depth = 0): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return depth > maxListDepth ? '' : joined(value, ',', depth + 1)
  if (value instanceof Moment) return value.date.toString()
  if (typeof value === 'object' && value !== null) return '[object Object]'
  return String(value)
}

/** Joins the texts of a list, up to a length. */
export function joined(list: readonly Value[], by: string, depth = 0): string {
  let text = ''
  for (const [index, item] of list.entries()) {
    text += (index === 0 ? '' : by) + (item == null ? '' : textOf(item, depth))
    if (text.length > maxJoined) return text.slice(0, maxJoined)
  }
  return text
}

/** Number as `Number(value)` gives it. */
export function numberOf(value: Value): number {
  if (value instanceof Moment) return value.date.getTime()
  if (Array.isArray(value)) return Number(textOf(value))
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value)
}

export function shownText(nodes: readonly PageNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : shownText(node.children))).join('')
}

export interface Evaluator {
  read(expression: Expression, scope: Scope): Value
  call(of: Value, values: Value[], at: number): Value
  /** Counts work, so that no source runs for long. */
  spend(steps: number, at: number): void
  fail(message: string, at: number): never
}
