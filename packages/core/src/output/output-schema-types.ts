import type { JSONSchema7 } from 'json-schema'
import type { FieldTypes } from './block.ts'
import type { OutputProblem } from './output-problem.ts'

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
