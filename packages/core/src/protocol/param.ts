import { z } from 'zod'

const common = {
  /** A setting of the call (`temperature`, `maxOutputTokens`, `reasoning` …), else an option of the provider. */
  name: z.string().regex(/^[A-Za-z][\w.-]{0,63}$/),
  label: z.string().min(1).max(100).optional(),
  /** One line on what it does. */
  note: z.string().max(300).optional(),
  /** Under which name which part of the SDK takes it, where that is not its own. */
  option: z.strictObject({ provider: z.string().min(1).max(100), key: z.string().min(1).max(100) }).optional(),
}

/** One setting of a model that a person can turn, as data: `capabilities.params` is a list of them. */
export const paramSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z.literal('number'),
    min: z.number(),
    max: z.number(),
    step: z.number().positive().optional(),
    /** What the provider takes where nothing is said; never sent. */
    default: z.number().optional(),
  }),
  z.strictObject({
    ...common,
    type: z.literal('integer'),
    min: z.int(),
    max: z.int(),
    default: z.int().optional(),
  }),
  z.strictObject({
    ...common,
    type: z.literal('choice'),
    options: z.array(z.string().min(1).max(100)).min(1).max(50),
    default: z.string().optional(),
  }),
  z.strictObject({ ...common, type: z.literal('switch'), default: z.boolean().optional() }),
  z.strictObject({ ...common, type: z.literal('texts'), max: z.int().positive().max(100).default(4) }),
])
export type Param = z.infer<typeof paramSchema>

/** What was chosen, by name. What is not in it is the provider's own choice. */
export const paramValuesSchema = z.record(
  z.string().max(64),
  z.union([z.number(), z.boolean(), z.string().max(1000), z.array(z.string().max(1000)).max(100)]),
)
export type ParamValues = z.infer<typeof paramValuesSchema>
export type ParamValue = ParamValues[string]

/** What of a model's `capabilities.params` is a parameter of ours; other programs write other things there. */
export function paramsOf(model: { capabilities?: { params?: unknown } } | undefined): Param[] {
  const listed = model?.capabilities?.params
  if (!Array.isArray(listed)) return []
  return listed.flatMap((entry) => {
    const parsed = paramSchema.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
}

/** Why this cannot be the value of it, in words that end a sentence about it; undefined when it can. */
export function paramProblem(param: Param, value: unknown): string | undefined {
  switch (param.type) {
    case 'number':
    case 'integer': {
      const { min, max } = param
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
      if (param.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number'
      return value < min || value > max ? `must be between ${min} and ${max}` : undefined
    }
    case 'choice':
      return param.options.includes(value as string) ? undefined : `must be one of ${param.options.join(', ')}`
    case 'switch':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'texts':
      if (!Array.isArray(value) || value.some((text) => typeof text !== 'string' || text === ''))
        return 'must be a list of texts'
      return value.length > param.max ? `takes at most ${param.max} texts` : undefined
  }
}
