import { z } from 'zod'

/** A user-adjustable model setting, as data. `capabilities.params` is a list of these. */
export type Param = NumberParam | ChoiceParam | SwitchParam | TextsParam

interface CommonParam {
  /** A call setting (`temperature`, `maxOutputTokens`, `reasoning` …), else a provider option. */
  name: string
  label?: string
  note?: string
  /** SDK provider and key that take it, if they differ from the defaults. */
  option?: { provider: string; key: string }
}

interface NumberParam extends CommonParam {
  type: 'number' | 'integer'
  min: number
  max: number
  step?: number
  /** The provider's default. Never sent. */
  default?: number
}

interface ChoiceParam extends CommonParam {
  type: 'choice'
  options: string[]
  default?: string
}

interface SwitchParam extends CommonParam {
  type: 'switch'
  default?: boolean
}

interface TextsParam extends CommonParam {
  type: 'texts'
  max: number
}

export type ParamValue = number | boolean | string | string[]

/** Chosen values by name. Missing ones are left to the provider. */
export type ParamValues = Record<string, ParamValue>

/** Returns the valid params in a model's `capabilities.params`. Other programs may store other things there. */
export function modelParams(model: { capabilities?: { params?: unknown } } | undefined): Param[] {
  const listed = model?.capabilities?.params
  return Array.isArray(listed) ? listed.filter(isParam) : []
}

/** Returns why the value is invalid, worded as the end of a sentence, or undefined if valid. */
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
      if (!isTextList(value)) return 'must be a list of strings'
      return value.length > param.max ? `accepts at most ${param.max} items` : undefined
  }
}

function isParam(entry: unknown): entry is Param {
  if (typeof entry !== 'object' || entry === null) return false
  const { name, type, label, note, min, max, options, option } = entry as Record<string, unknown>
  const isNamed = typeof name === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(name)
  const isTold = [label, note].every((text) => text === undefined || typeof text === 'string')
  const { provider, key } = (option ?? {}) as Record<string, unknown>
  const isPlaced = option === undefined || (typeof provider === 'string' && typeof key === 'string')
  if (!isNamed || !isTold || !isPlaced) return false
  if (type === 'number' || type === 'integer') return typeof min === 'number' && typeof max === 'number' && min < max
  if (type === 'choice') return isTextList(options) && options.length > 0
  return type === 'switch' || (type === 'texts' && typeof max === 'number')
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && text !== '')
}

export const paramValuesSchema = z.record(
  z.string().max(64),
  z.union([z.number(), z.boolean(), z.string().max(1000), z.array(z.string().max(1000)).max(100)]),
)
