import type { ParamValues } from './protocol/param.ts'

/** What a turn may cost, the sub-agents of that turn included. */
export interface Budget {
  /** Model calls. */
  steps?: number
  tokens?: number
  /** In the currency of the model's price list. */
  cost?: number
  ms?: number
}

/** What an agent is: a prompt, and which of the existing tools it may use. No code. */
export interface AgentDefinition {
  name: string
  /** Tells the delegating model what it is for. */
  description: string
  prompt: string
  /** Names of tools or of capability groups. */
  tools: readonly string[]
  /** Whom it may delegate to. Absent: the default set. Empty: nobody. */
  allowedSubAgents?: readonly string[]
  /** `provider/model`; absent: its parent's. */
  model?: string
  maxDepth?: number
  /** Model calls of one turn of its own. */
  maxSteps?: number
  budget?: Budget
  /** Settings of its model, where that has them; the person's own go before. */
  params?: ParamValues
  /** It is offered only while one of these pages is open. Absent or empty: everywhere. */
  pageIds?: readonly string[]
  /** Offered to nobody; whoever names it has it all the same. */
  hidden?: true
}

/** As it is stored with a sub-agent: made from a shipped or stored definition, by the caller, or without one. */
export type AgentType = 'system' | 'dynamic' | 'default'

/** `document` is `Document`, `BrowserSubAgent` is `browser`: case, separators and the usual endings do not matter. */
export function agentKey(name: string): string {
  const bare = name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
  const key = bare.replace(/(sub)?agent$/, '') || bare
  return Object.hasOwn(aliases, key) ? (aliases[key] as string) : key
}

/** Names that models know from elsewhere. */
const aliases: Readonly<Record<string, string>> = {
  generalpurpose: 'coder',
  general: 'coder',
  worker: 'coder',
  explorer: 'explore',
  planner: 'plan',
  web: 'browser',
  docs: 'document',
  doc: 'document',
  mail: 'email',
  terminal: 'shell',
  command: 'shell',
}
