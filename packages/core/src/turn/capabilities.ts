import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'
import type { NamedError } from '../error.ts'
import type { AgentOptions, Planning } from './agent-options.ts'

/** What an agent has learnt about its model. */
export interface LearnedCapabilities {
  /** Its provider refused a request because there were tools in it. */
  refusesTools: boolean
}

export function resolvePlanning(
  { planning = 'auto', capabilities }: AgentOptions,
  learnt: LearnedCapabilities,
): Exclude<Planning, 'auto'> {
  if (planning !== 'auto') return planning
  return capabilities?.toolCalls === false || learnt.refusesTools ? 'external' : 'native'
}

/** A provider that does not take tools says so in its refusal of the request. */
export function isToolRefusal({ name, message, data }: NamedError): boolean {
  return name === 'ProviderRefused' && data['retryable'] !== true && /\b(tools?|functions?)\b/i.test(message)
}

/**
 * Whether the provider is asked to hold the answer to the schema. A model's interface does not say if it can: those of
 * the known providers can, as long as every field is required; others when the options or the model itself say so.
 */
export function hasStructuredOutput({ capabilities, model }: AgentOptions, schema: JSONSchema7): boolean {
  if (schema.type !== 'object') return false
  if (capabilities?.structuredOutput !== undefined) return capabilities.structuredOutput
  const told = (model as LanguageModelV4 & { supportsStructuredOutputs?: unknown }).supportsStructuredOutputs
  if (typeof told === 'boolean') return told
  return /^(openai|azure|anthropic|google|xai)\b/.test(model.provider) && isStrict(schema)
}

function isStrict(schema: JSONSchema7Definition | undefined): boolean {
  if (typeof schema !== 'object') return false
  if (schema.anyOf !== undefined) return schema.anyOf.every(isStrict)
  if (schema.type === 'array') return !Array.isArray(schema.items) && isStrict(schema.items)
  if (schema.type !== 'object')
    return schema.type !== undefined || schema.enum !== undefined || schema.const !== undefined
  const { properties = {}, required = [] } = schema
  return (
    schema.additionalProperties === false &&
    Object.entries(properties).every(([name, property]) => required.includes(name) && isStrict(property))
  )
}
