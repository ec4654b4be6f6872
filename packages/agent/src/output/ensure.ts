import type { JSONSchema7 } from 'json-schema'
import type { FieldTypes } from '../json/block.ts'
import { childrenAt, formatPath, parsePath, type PatternSegment, type Segment, wildcard } from '../json/path.ts'
import { childEntries, type Schema, type SchemaTree } from './schema-tree.ts'

type Fits = (holder: unknown) => boolean

/** The rules that `.meta({ ensure })` puts anywhere in a schema. */
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
  throw new Error(`ensure at "${formatPath(path)}" is ${JSON.stringify(ensure)}: write true, 'present' or 'not-empty'.`)
}

/** Of the objects of a union, the one meant is the one whose literals match and that shares the most keys. */
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

/** What an answer lacks of the paths that it must have. */
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
      // A parent that is absent is the schema's business when the rule comes from there.
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

/** Why an answer is not accepted. `path` is `''` for the whole. */
export interface OutputProblem {
  readonly path: string
  /** A sentence that a model can act on. */
  readonly message: string
  /** False when trying again is of no use. */
  readonly retry: boolean
}

const maxProblems = 10
const maxProblemLength = 300

/** The reasons as a list for the prompt of the next attempt, bounded in number and length. */
export function retryText(problems: readonly OutputProblem[]): string {
  const lines = problems.slice(0, maxProblems).map(({ path, message }) => {
    const text = path === '' ? message : `${path}: ${message}`
    return `- ${text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text}`
  })
  const more = problems.length - maxProblems
  return [...lines, ...(more > 0 ? [`- and ${more} more of this kind`] : [])].join('\n')
}

/**
 * What an output schema is made of: zod 4, or any Standard Schema that can also give its JSON Schema. Structural, so
 * that no schema library is needed for it.
 */
export interface OutputSource<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly jsonSchema: { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
  }
  /** Where a single value goes in an answer that is an object for its sake alone. @internal */
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

/** A path that an accepted answer must have: there at all (null counts), or there and neither null nor empty. */
export interface EnsureRule {
  /** `items[*].title` wants it in every item; a list without items has nothing to miss. */
  readonly path: string
  readonly rule: 'present' | 'not-empty'
  /**
   * Set on rules made from a schema: absent parents are left to the schema, and of a union only the member that fits
   * the value is asked. A rule written by hand wants its whole path.
   */
  readonly applies?: (holder: unknown, depth: number) => boolean
}

export type CheckedOutput<Output> =
  | { readonly ok: true; readonly data: Output }
  | { readonly ok: false; readonly problems: readonly OutputProblem[] }

/** One schema as the prompt, the provider, the reader and the checks need it. `Input` is what a model writes. */
export interface OutputSchema<Input = unknown, Output = Input> {
  /** For a provider's own structured output: fields in order, descriptions kept, nothing of ours left in it. */
  readonly jsonSchema: JSONSchema7
  /** For a prompt: fields in order with types, descriptions and which may be left out. */
  readonly notation: string
  /** What an answer may be as a whole. */
  readonly kinds: ReadonlySet<'object' | 'list' | 'scalar'>
  /**
   * The JSON types of the answer's named fields (of its items', when it is a list) and, under the wildcard, of list
   * items and record values: which block of JSON in a text is the answer is judged by them.
   */
  readonly fields: FieldTypes
  /** The wildcard paths of every field that is known by name: `items`, `items[*]`, `items[*].title`. */
  readonly paths: readonly string[]
  /** What `.meta({ ensure })` asks for: `true` and `'present'` are the same, `'not-empty'` wants more. */
  readonly ensure: readonly EnsureRule[]
  /** Whether a path, with or without `*`, dot or slash style, leads somewhere. */
  has(path: string): boolean
  validate(value: unknown): Promise<CheckedOutput<Output>>
  /** For a single value: what a text without any JSON says as a whole, if that fits. */
  ofBareText?(text: string): Promise<unknown>
  /** Never there; carries the types. */
  readonly types?: { readonly input: Input; readonly output: Output }
}
