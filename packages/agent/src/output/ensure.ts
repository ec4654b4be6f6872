import type { JSONSchema7 } from 'json-schema'
import type { FieldTypes } from '../json/block.ts'
import { childrenAt, formatPath, parsePath, type PatternSegment, type Segment, wildcard } from '../json/path.ts'
import { childEntries, type Schema, type SchemaTree } from './schema-tree.ts'

type Fits = (holder: unknown) => boolean

/** Collects the rules set anywhere in a schema by `.meta({ ensure })`. */
export function ensureRules(tree: SchemaTree): EnsureRule[] {
  const rules = new Map<string, EnsureRule>()
  const go = (schema: Schema, path: readonly PatternSegment[], fits: ReadonlyMap<number, Fits>, inside: Schema[]) => {
    const alternatives = tree.alternatives(schema)
    const rule = readEnsureRule([schema, ...alternatives], path)
    if (rule !== undefined) {
      const name = formatPath(path)
      rules.set(`${name} ${rules.size}`, {
        path: name,
        rule,
        applies: (holder, depth) => fits.get(depth)?.(holder) ?? true,
      })
    }
    const objects = alternatives.filter((one) => one.properties !== undefined)
    for (const one of alternatives) {
      if (inside.includes(one)) continue
      const within = objects.length > 1 ? new Map(fits).set(path.length, bestFit(objects, one)) : fits
      for (const [segment, child] of childEntries(one)) go(child, [...path, segment], within, [...inside, one])
    }
  }
  go(tree.root, [], new Map(), [])
  return [...rules.values()]
}

function readEnsureRule(schemas: readonly Schema[], path: readonly PatternSegment[]): EnsureRule['rule'] | undefined {
  const ensure = schemas.map((schema) => schema.ensure).find((value) => value !== undefined)
  if (ensure === undefined || ensure === false) return undefined
  if (ensure === true || ensure === 'present') return 'present'
  if (ensure === 'not-empty') return 'not-empty'
  throw new Error(`ensure at "${formatPath(path)}" is ${JSON.stringify(ensure)}. Use true, 'present' or 'not-empty'.`)
}

/** Picks the union member whose literals match and that shares the most keys. */
function bestFit(objects: readonly Schema[], one: Schema): Fits {
  return (holder) => {
    const shared = sharedKeys(one, holder)
    return shared >= 0 && objects.every((other) => sharedKeys(other, holder) <= shared)
  }
}

function sharedKeys(schema: Schema, holder: unknown): number {
  let shared = 0
  for (const [key, child] of childEntries(schema)) {
    if (key === wildcard) continue
    const found = childrenAt(holder, key)[0]
    if (found === undefined) continue
    if (child.const !== undefined && child.const !== found[1]) return -1
    shared++
  }
  return shared
}

export function ensureProblems(value: unknown, rules: readonly EnsureRule[]): OutputProblem[] {
  const problems = rules.flatMap((rule) => missingPaths(value, rule))
  return [...new Map(problems.map((problem) => [problem.path, problem])).values()]
}

function missingPaths(root: unknown, { path, rule, applies }: EnsureRule): OutputProblem[] {
  const segments = parsePath(path)
  const problems: OutputProblem[] = []
  let holders: { at: Segment[]; value: unknown }[] = [{ at: [], value: root }]
  for (const [depth, segment] of segments.entries()) {
    if (applies !== undefined) holders = holders.filter((holder) => applies(holder.value, depth))
    const isLast = depth === segments.length - 1
    holders = holders.flatMap((holder) => {
      const children = childrenAt(holder.value, segment)
      const isContainer = typeof holder.value === 'object' && holder.value !== null
      const lacks = segment === wildcard ? !isContainer : children.length === 0
      // For a rule from the schema, an absent parent is left to schema validation.
      if (lacks && (applies === undefined || (isLast && isContainer))) {
        problems.push(ensureProblem([...holder.at, ...segments.slice(depth)], 'is missing'))
      }
      return children.map(([key, child]) => ({ at: [...holder.at, key], value: child }))
    })
  }
  if (rule === 'present') return problems
  return [
    ...problems,
    ...holders.filter(({ value }) => isEmpty(value)).map(({ at }) => ensureProblem(at, 'must not be empty')),
  ]
}

function ensureProblem(at: readonly PatternSegment[], message: string): OutputProblem {
  return { path: formatPath(at), message, retry: true }
}

function isEmpty(value: unknown): boolean {
  if (value == null) return true
  if (typeof value === 'string') return value.trim() === ''
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Reason an answer is rejected. `path` is `''` for the whole answer. */
export interface OutputProblem {
  readonly path: string
  /** A sentence that a model can act on. */
  readonly message: string
  /** False if a retry cannot help. */
  readonly retry: boolean
}

const maxProblems = 10
const maxProblemLength = 300

/** Formats the problems as a list for the retry prompt, limited in number and length. */
export function retryText(problems: readonly OutputProblem[]): string {
  const lines = problems.slice(0, maxProblems).map(({ path, message }) => {
    const text = path === '' ? message : `${path}: ${message}`
    return `- ${text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text}`
  })
  const more = problems.length - maxProblems
  return [...lines, ...(more > 0 ? [`- and ${more} more of this kind`] : [])].join('\n')
}

/**
 * Source of an output schema: zod 4, or any Standard Schema that also provides its JSON Schema. Structural, so that no
 * schema library is required.
 */
export interface OutputSource<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
  /** Places a single value in the object that wraps it. @internal */
  readonly ofScalar?: (value: unknown) => unknown
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }

/** A path that an accepted answer must have: present (null counts), or present and neither null nor empty. */
export interface EnsureRule {
  /** `items[*].title` is required in every item. An empty list satisfies it. */
  readonly path: string
  readonly rule: 'present' | 'not-empty'
  /**
   * Set on rules derived from a schema: absent parents are left to the schema, and for a union only the matching member
   * applies. A rule written by hand requires its whole path.
   */
  readonly applies?: (holder: unknown, depth: number) => boolean
}

export type CheckedOutput<Output> =
  | { readonly ok: true; readonly data: Output }
  | { readonly ok: false; readonly problems: readonly OutputProblem[] }

/**
 * One schema in the forms that the prompt, the provider, the reader and the checks need. `Input` is the type the model
 * writes.
 */
export interface OutputSchema<Input = unknown, Output = Input> {
  /** For a provider's structured output: fields in order, descriptions kept, our own keywords removed. */
  readonly jsonSchema: JSONSchema7
  /** For a prompt: fields in order with types, descriptions and optional marks. */
  readonly notation: string
  readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  /**
   * JSON types of the answer's named fields (or of its items' fields, for a list). List items and record values use the
   * wildcard. They decide which JSON block in a text is the answer.
   */
  readonly fields: FieldTypes
  /** Wildcard paths of all named fields: `items`, `items[*]`, `items[*].title`. */
  readonly paths: readonly string[]
  /** Rules from `.meta({ ensure })`: `true` and `'present'` are equal, `'not-empty'` is stricter. */
  readonly ensure: readonly EnsureRule[]
  /** True if the schema has the path, with or without `*`, in dot or slash style. */
  has(path: string): boolean
  validate(value: unknown): Promise<CheckedOutput<Output>>
  /** For a single value: interprets a text without JSON as the value, if it fits. */
  ofBareText?(text: string): Promise<unknown>
  /** Type-only; never set at run time. */
  readonly types?: { readonly input: Input; readonly output: Output }
}
