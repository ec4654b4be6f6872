import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { RunInput } from '@troupe/core/run'
import type { Answer, Ask, Tool } from '@troupe/core/tool'
import type { NamedError } from '@troupe/protocol'
import type { JSONSchema7, JSONSchema7Definition } from 'json-schema'
import type { Roles, Titles } from '../prompt/render-prompt.ts'
import type { ToolFunction, ToolRegistry } from './tool-registry.ts'

/** How tools are chosen: by the model's own calls, by a request that plans, or whichever the model can do. */
export type Planning = 'native' | 'external' | 'auto'

export interface Capabilities {
  /** The model can call tools by itself. Default: assumed until its provider refuses. */
  toolCalls?: boolean
  /** The provider holds answers to a JSON Schema. Default: what the model says of itself. */
  structuredOutput?: boolean
}

export interface AgentOptions {
  name: string
  model: LanguageModelV4
  capabilities?: Capabilities
  /** As `useTools` takes them. */
  tools?: readonly (string | Tool | ToolFunction)[]
  /** Where tools are kept by name and tag. Default: one of the agent's own. */
  registry?: ToolRegistry
  /** Default `auto`. */
  planning?: Planning
  /** Rounds of external planning, 1 to 5. Default 1: exactly two requests. */
  rounds?: number
  /** Prints one line per call of a tool, to the error stream or to this function. */
  showToolLogs?: boolean | ((line: string) => void)
  /** Names of rules that allow, ask for or deny calls, as in the workspace's config. */
  permissions?: { allow?: string[]; ask?: string[]; deny?: string[] }
  /** Decides about calls in place of `permissions`. */
  decide?: RunInput['decide']
  /**
   * Asked when a call needs a person. Without it such calls are denied. Answers for an approval: `{ type: 'approve' }`,
   * with `remember: 'session'` (this conversation) or `'always'` (this agent) to allow calls like it from now on, with
   * `input` to run something else; `{ type: 'deny' }` ends the turn, `{ type: 'deny', remark }` goes on with a reason.
   */
  ask?: (ask: Ask) => Answer | Promise<Answer>
  titles?: Titles
  roles?: Roles
  /** How often an answer that is not accepted is asked for again. Default 3. */
  retries?: number
  /** How often a provider that fails before its first byte is tried again. Default 3. */
  maxRetries?: number
  /** A provider that sends nothing for this long has failed. Default 180,000. */
  stallMs?: number
  /** Settings of every model call. */
  callOptions?: CallSettings
  /**
   * Ends a turn early: model calls (`steps`, default 100), `tokens`, milliseconds (`ms`), and how often the same calls may
   * be `repeats`ed (default 4). A turn that ends so without an answer throws `TurnStopped`.
   */
  limits?: RunInput['limits']
  /** The folder that file tools work in. Default: the current one. */
  workspace?: string
  /** What file and shell tools remember between turns. Default: nothing. */
  state?: RunInput['state']
  /** Rules that answers of `ask` had remembered. @internal */
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

/** The rules that approvals of one agent left behind: for one session, or for all of them. */
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

/** The agent's own word on calls, or its `permissions` and what was remembered, by the rules of the workspace. */
export function createDecide(settings: AgentOptions, session: string): RunInput['decide'] {
  const { decide, permissions = {}, workspace = process.cwd(), remembered } = settings
  if (decide !== undefined) return decide
  return async (call, ctx) => {
    // Loaded when the first call is judged: most turns make none.
    const { createPolicy, decide: judge } = await import('@troupe/core/permission')
    const allow = [...(permissions.allow ?? []), ...(remembered?.of(session) ?? [])]
    return judge(call, ctx, createPolicy({ ...permissions, allow }, { base: workspace }))
  }
}

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
