import type { TurnRun } from './extension.ts'
import type { RunOptions } from './extension.ts'
import type { OutputSource, StandardResult } from '../output/output-schema-types.ts'
import { cachedOutputSchema } from './schema-of.ts'
import type { Turn } from './turn.ts'

export interface AutoFuncDefinition<In, Written, Out> {
  /** Appears in error messages. */
  name: string
  /** What the function does. */
  instruct: string
  /** One object with all arguments; defaults are applied. */
  input: OutputSource<In, unknown>
  output: OutputSource<Written, Out>
}

/** A function whose body is a prompt. Calls are independent of each other. */
export interface AutoFunc<In, Written, Out> {
  /** Rejects with a TypeError when the input does not fit, before anything is asked. */
  (input: In, options?: RunOptions): Promise<Out>
  /** The same call as a run, for those who read along. A single value is awaited as the key `value`. */
  stream(input: In, options?: RunOptions): TurnRun<Written extends object ? Written : { value: Written }, Out>
  readonly description: string
  readonly input: OutputSource<In, unknown>
  readonly returns: OutputSource<Written, Out>
  /** It asks a model and changes nothing. */
  readonly readOnly: boolean
}

export function createAutoFunc<In, Written, Out>(
  turn: () => Turn,
  definition: AutoFuncDefinition<In, Written, Out>,
): AutoFunc<In, Written, Out> {
  refuseFunctions(definition)
  const { name, instruct, input, output } = definition
  const source = cachedOutputSchema(output as OutputSource).kinds.has('scalar') ? wrapped(output) : output
  type Run = ReturnType<AutoFunc<In, Written, Out>['stream']>
  const prepared = turn()
    .instruct(instruct)
    .output(source as OutputSource)
  const stream = (given: In, options: RunOptions = {}): Run =>
    prepared.input(checked(name, input, given)).run(options) as unknown as Run
  const call = async (given: In, options?: RunOptions): Promise<Out> => (await stream(given, options).result()).data
  // With these, another agent can use it as a tool.
  const asTool = { description: instruct, input, returns: output, readOnly: true }
  return Object.assign(Object.defineProperty(call, 'name', { value: name }), { stream, ...asTool })
}

/** An answer is a JSON value; a single one stands in an object that only the model and its readers see. */
function wrapped<Written, Out>(source: OutputSource<Written, Out>): OutputSource<{ value: Written }, Out> {
  const inner = source['~standard']
  return {
    ofScalar: (value) => ({ value }),
    '~standard': {
      version: 1,
      vendor: inner.vendor,
      validate: (given) => inner.validate((given as { value?: unknown } | null)?.value),
      jsonSchema: {
        input(options) {
          const { $schema, $defs, definitions, ...value } = inner.jsonSchema.input(options)
          return {
            $schema,
            type: 'object',
            properties: { value },
            required: ['value'],
            ...($defs !== undefined && { $defs }),
            ...(definitions !== undefined && { definitions }),
          }
        },
      },
    },
  }
}

function checked(name: string, schema: OutputSource, given: unknown): unknown {
  const result = schema['~standard'].validate(given) as StandardResult<unknown> | Promise<unknown>
  if (result instanceof Promise) throw new TypeError(`The input schema of ${name} must not need to wait.`)
  if (result.issues === undefined) return result.value
  const complaints = result.issues.map(({ path = [], message }) => {
    const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return place === '' ? message : `${place}: ${message}`
  })
  throw new TypeError(`The input of ${name} does not fit. ${complaints.join('; ')}`)
}

function refuseFunctions(definition: unknown): void {
  if (typeof definition !== 'function') return
  const kind = Object.prototype.toString.call(definition)
  if (/Generator/.test(kind))
    throw new TypeError('A generator cannot be made of a prompt; use stream() of a function that is.')
  throw new TypeError('autoFunc takes { name, instruct, input, output }: a function has no schema to read.')
}
