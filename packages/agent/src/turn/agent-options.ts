import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { RunInput } from '@troupe/core/run'
import type { Answer, Ask, Tool } from '@troupe/core/tool'
import type { NamedError } from '@troupe/protocol'
import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'
import type { Roles, Titles } from '../prompt/render-prompt.ts'
import type { ToolFunction, ToolRegistry } from './tool-registry.ts'

/**
 * Selects how tools are called: by native tool calls, by a separate planning request, or by whichever the model
 * supports.
 */
export type Planning = 'native' | 'external' | 'auto'

export interface Capabilities {
  /** The model supports native tool calls. Default: assumed until its provider refuses. */
  toolCalls?: boolean
  /** The provider enforces a JSON Schema on answers. Default: the model's own claim. */
  structuredOutput?: boolean
}

export interface AgentOptions {
  name: string
  model: LanguageModelV4
  capabilities?: Capabilities
  /** Same values as for `useTools`. */
  tools?: readonly (string | Tool | ToolFunction)[]
  /** Stores tools by name and tag. Default: a registry of the agent's own. */
  registry?: ToolRegistry
  /** Default `auto`. */
  planning?: Planning
  /** Rounds of external planning, 1 to 5. Default 1: exactly two requests. */
  rounds?: number
  /** Prints one line per tool call, to stderr or to this function. */
  showToolLogs?: boolean | ((line: string) => void)
  /** Names of rules that allow, ask for or deny tool calls, as in the workspace's config. */
  permissions?: { allow?: string[]; ask?: string[]; deny?: string[] }
  /** Decides about tool calls in place of `permissions`. */
  decide?: RunInput['decide']
  /**
   * Called when a tool call needs approval. Without it such calls are denied. Answers for an approval: `{ type:
   * 'approve' }`, with `remember: 'session'` (this conversation) or `'always'` (this agent) to allow similar calls in
   * the future, with `input` to run a different input; `{ type: 'deny' }` ends the turn, `{ type: 'deny', remark }`
   * continues with a reason.
   */
  ask?: (ask: Ask) => Answer | Promise<Answer>
  titles?: Titles
  roles?: Roles
  /** Number of retries for a rejected answer. Default 3. */
  retries?: number
  /** Number of retries for a provider that fails before its first byte. Default 3. */
  maxRetries?: number
  /** Time in milliseconds without data after which a provider counts as failed. Default 180,000. */
  stallMs?: number
  callOptions?: CallSettings
  /**
   * Ends a turn early: model calls (`steps`, default 100), `tokens`, milliseconds (`ms`), and how often the same tool
   * calls may be `repeats`ed (default 4). Throws `TurnStopped` if the turn then has no answer.
   */
  limits?: RunInput['limits']
  /** Folder that file tools work in. Default: the current folder. */
  workspace?: string
  /** State that file and shell tools keep between turns. Default: none. */
  state?: RunInput['state']
  /** Rules remembered from answers of `ask`. @internal */
  remembered?: RememberedRules
}

export type CallSettings = Partial<
  Pick<
    LanguageModelV4CallOptions,
    | 'providerOptions'
    | 'maxOutputTokens'
    | 'temperature'
    | 'topP'
    | 'topK'
    | 'seed'
    | 'stopSequences'
    | 'presencePenalty'
    | 'frequencyPenalty'
    | 'reasoning'
    | 'headers'
  >
>

export class RememberedRules {
  readonly #everywhere: string[] = []
  readonly #bySession = new Map<string, string[]>()

  add(session: string, { remember }: Ask, answer: Answer): void {
    if (answer.type !== 'approve' || answer.remember === undefined) return
    const rules = answer.remember === 'session' ? (this.#bySession.get(session) ?? []) : this.#everywhere
    rules.push(...(remember ?? []).filter((rule) => !rules.includes(rule)))
    if (answer.remember === 'session') this.#bySession.set(session, rules)
  }

  of(session: string): string[] {
    return [...this.#everywhere, ...(this.#bySession.get(session) ?? [])]
  }
}

/** Uses the agent's own `decide`, or its `permissions` and remembered rules by the workspace's rule logic. */
export function createDecide(settings: AgentOptions, session: string): RunInput['decide'] {
  const { decide, permissions = {}, workspace = process.cwd(), remembered } = settings
  if (decide !== undefined) return decide
  return async (call, ctx) => {
    // Loaded on the first tool call, because most turns make none.
    const { createPolicy, decide: judge } = await import('@troupe/core/permission')
    const allow = [...(permissions.allow ?? []), ...(remembered?.of(session) ?? [])]
    return judge(call, ctx, createPolicy({ ...permissions, allow }, { base: workspace }))
  }
}

export interface LearnedCapabilities {
  /** Its provider refused a request because it contained tools. */
  refusesTools: boolean
}

export function resolvePlanning(
  { planning = 'auto', capabilities }: AgentOptions,
  learnt: LearnedCapabilities,
): Exclude<Planning, 'auto'> {
  if (planning !== 'auto') return planning
  return capabilities?.toolCalls === false || learnt.refusesTools ? 'external' : 'native'
}

/** Detects by its error message that a provider does not support tools. */
export function isToolRefusal({ name, message, data }: NamedError): boolean {
  return name === 'ProviderRefused' && data['retryable'] !== true && /\b(tools?|functions?)\b/i.test(message)
}

/**
 * True if the provider is asked to enforce the schema. The model interface does not tell if it can. Known providers
 * can, as long as every field is required; others only if the options or the model say so.
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
