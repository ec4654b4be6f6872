import type { Metadata } from './message.ts'

/** What an answer took in all, its sub-agents included. Undefined where nothing tells. */
export function totalUsage({ usage, cost, subAgents }: Metadata): { tokens?: number; cost?: number } {
  const tokens = sumDefined(usage?.totalTokens, subAgents?.tokens)
  const price = sumDefined(cost, subAgents?.cost)
  return { ...(tokens !== undefined && { tokens }), ...(price !== undefined && { cost: price }) }
}

function sumDefined(own: number | undefined, others: number | undefined): number | undefined {
  return own === undefined || others === undefined ? (own ?? others) : own + others
}
