import type { RunInput } from '@troupe/core'
import {
  type ModelDefinition,
  modelParams,
  NamedError,
  type Param,
  paramProblem,
  type ParamValues,
} from '@troupe/protocol'

type CallSettings = NonNullable<RunInput['callOptions']>

/** Standard call settings of the SDK. All others are provider options. */
const callOptionNames = new Set([
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'reasoning',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'stopSequences',
])

/** Throws `BadParams` (422) with every unsupported value and the reason. */
export function checkParams(values: ParamValues, model: ModelDefinition): ParamValues {
  const params = modelParams(model)
  const problems = Object.entries(values).flatMap(([name, value]) => {
    const param = params.find((known) => known.name === name)
    if (param === undefined) return { name, message: `${model.name} has no setting "${name}"` }
    const problem = paramProblem(param, value)
    return problem === undefined ? [] : { name, message: `${param.label ?? name} ${problem}` }
  })
  if (problems.length === 0) return values
  const known = params.map(({ name }) => name).join(', ') || 'none'
  const text = `${problems.map(({ message }) => message).join('; ')}. ${model.name} accepts: ${known}.`
  throw new NamedError('BadParams', text, { status: 422, data: { problems } })
}

/**
 * Builds the settings of a model call. Later layers override earlier ones. Drops values the model does not support,
 * which an agent definition or a session's previous model may have left.
 */
export function callSettings(model: ModelDefinition, ...layers: (ParamValues | undefined)[]): CallSettings {
  const values = Object.assign({}, ...layers) as ParamValues
  const settings: Record<string, unknown> = {}
  const providerOptions: Record<string, Record<string, unknown>> = {}
  for (const param of modelParams(model)) {
    const value = values[param.name]
    if (value === undefined || paramProblem(param, value) !== undefined) continue
    if (param.option === undefined && callOptionNames.has(param.name)) settings[param.name] = value
    else {
      const { provider, key } = issuePath(param, model)
      ;(providerOptions[provider] ??= {})[key] = value
    }
  }
  return {
    ...(settings as CallSettings),
    providerOptions:
      Object.keys(providerOptions).length > 0 ? (providerOptions as CallSettings['providerOptions']) : undefined,
  }
}

/** Chat completion endpoints get unknown names unchanged, under the provider's id. */
function issuePath({ option, name }: Param, { provider }: ModelDefinition): { provider: string; key: string } {
  return option ?? { provider, key: name }
}
