import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Answer, Ask } from '../asks.ts'
import type { RunInput } from '../run/run-input.ts'
import type { RememberedRules } from './decide-for.ts'
import type { Tool } from '../tool.ts'
import type { Roles, Titles } from './render-prompt.ts'
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
