import { useEffect, useState } from 'react'
import { t } from '../texts/t.ts'
import { formatCost, formatCount, formatDuration } from '../ui/format.ts'
import { formatElapsed } from './describe-agent.ts'
import { isAgentActive } from './sub-agent.ts'
import type { SubAgent } from './sub-agent.ts'

/** How long, how many steps and tokens, how dear. */
export function AgentFacts({ agent }: { agent: SubAgent }) {
  const { status, startedAt, elapsedMs, steps, tokens, cost } = agent
  const isCounted = isAgentActive(agent) && status !== 'pending'
  return (
    <span className="agent-facts">
      {isCounted && <Elapsed since={startedAt} />}
      {!isAgentActive(agent) && elapsedMs !== null && <span>{formatDuration(elapsedMs)}</span>}
      {steps > 0 && <span>{t.subAgents.steps(steps)}</span>}
      {tokens > 0 && <span>{t.subAgents.tokens(formatCount(tokens))}</span>}
      {cost !== null && cost > 0 && <span>{formatCost(cost)}</span>}
    </span>
  )
}

/** Counts the seconds. */
function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span>{formatElapsed(now - since)}</span>
}
