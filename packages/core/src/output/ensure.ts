import type { OutputProblem } from './output-problem.ts'
import type { EnsureRule } from './output-schema-types.ts'
import { childrenAt, formatPath, parsePath, type PatternSegment, type Segment, wildcard } from './path.ts'
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
