import type { JsonType } from './block.ts'
import type { JSONSchema7 } from 'json-schema'
import type { FieldTypes } from './block.ts'
import { ensureRules } from './ensure.ts'
import { readWord } from './json-word.ts'
import { notationOf } from './notation.ts'
import type { CheckedOutput, OutputSchema, OutputSource, StandardResult } from './output-schema-types.ts'
import { formatPath, parsePath, type PatternSegment, wildcard } from './path.ts'
import { toProviderSchema } from './provider-schema.ts'
import { childEntries, type Schema, SchemaTree } from './schema-tree.ts'

/** Reads a schema once; what is derived from it is made when it is first asked for. */
export function outputSchema<Input, Output>(source: OutputSource<Input, Output>): OutputSchema<Input, Output> {
  const tree = new SchemaTree(jsonSchemaOf(source))
  const types = tree.types(tree.root)
  const ensure = ensureRules(tree)
  const kinds = new Set([...types].map(answerKind))
  const inAnswer = source.ofScalar ?? (kinds.has('object') || kinds.has('list') ? undefined : (value: unknown) => value)
  let jsonSchema: JSONSchema7 | undefined
  let notation: string | undefined
  let paths: readonly string[] | undefined
  return {
    get jsonSchema() {
      return (jsonSchema ??= toProviderSchema(tree.root))
    },
    get notation() {
      return (notation ??= notationOf(tree.root))
    },
    get paths() {
      return (paths ??= tree.paths())
    },
    kinds,
    fields: fieldTypes(tree, types),
    ensure,
    has: (path) => tree.has(parsePath(path)),
    validate: (value) => validate(source, value),
    ...(inAnswer !== undefined && {
      async ofBareText(text) {
        for (const value of bareValues(text)) {
          const answer = inAnswer(value)
          if ((await validate(source, answer)).ok) return answer
        }
        return undefined
      },
    }),
  }
}

/** What a text may say that is a single value without the quotes JSON wants: `yes`, `42`, `**Yes.**` */
function bareValues(text: string): unknown[] {
  const bare = text.trim().replace(/^(?:```\w*\s+([\s\S]*?)\s*```|(\*\*|`)([\s\S]*)\2)$/, '$1$3')
  const word = readWord(bare)
  return [...(word === undefined ? [] : [word.value]), bare, bare.replace(/[.!]$/, '')]
}

function jsonSchemaOf(source: OutputSource): Schema {
  const standard = (source as Partial<OutputSource> | undefined)?.['~standard']
  if (typeof standard?.jsonSchema?.input !== 'function') {
    throw new Error(
      'The output schema must be zod 4 or another Standard Schema that can give its JSON Schema ("~standard".jsonSchema).',
    )
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-07' }) as Schema
  } catch (error) {
    throw new Error(`The output schema cannot be told to a model: ${(error as Error).message}`, { cause: error })
  }
}

function answerKind(type: JsonType): 'object' | 'list' | 'scalar' {
  if (type === 'object') return 'object'
  return type === 'array' ? 'list' : 'scalar'
}

function fieldTypes(tree: SchemaTree, types: ReadonlySet<JsonType>): FieldTypes {
  const fields = new Map<PatternSegment, Set<JsonType>>()
  const add = (key: PatternSegment, schema: Schema): void => {
    fields.set(key, new Set([...(fields.get(key) ?? []), ...tree.types(schema)]))
  }
  const roots = tree.alternatives(tree.root)
  for (const [key, child] of roots.flatMap(childEntries)) add(key, child)
  const items = types.has('object') ? [] : tree.below(tree.root, wildcard)
  for (const [key, child] of items.flatMap((item) => tree.alternatives(item)).flatMap(childEntries)) {
    if (key !== wildcard) add(key, child)
  }
  return fields
}

async function validate<Output>(source: OutputSource<unknown, Output>, value: unknown): Promise<CheckedOutput<Output>> {
  const result = await safeValidate(source, value)
  if (result.issues === undefined) return { ok: true, data: result.value }
  return {
    ok: false,
    problems: result.issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => (typeof part === 'object' ? part.key : part))
      return {
        path: formatPath(keys.map((key) => (typeof key === 'number' ? key : String(key)))),
        message,
        retry: true,
      }
    }),
  }
}

/** A value that is nested too deeply for the schema library is a bad answer, not a defect of the program. */
async function safeValidate<Output>(
  source: OutputSource<unknown, Output>,
  value: unknown,
): Promise<StandardResult<Output>> {
  try {
    return await source['~standard'].validate(value)
  } catch (error) {
    if (error instanceof RangeError) return { issues: [{ message: 'is nested too deeply' }] }
    throw error
  }
}
