import type { SubAgentsState } from '../chat/session-services.ts'
import { useShallow } from 'zustand/react/shallow'
import { t } from '../texts/t.ts'
import { AgentTree } from './agent-tree.tsx'
import { isAgentActive } from './sub-agent.ts'
import { subtree } from './sub-agents-state.ts'
import { useSubAgents } from './use-sub-agents.ts'

/** Every agent of the session: those at work first, then the others, newest first. */
export function AllAgents() {
  const atWork = useSubAgents(useShallow((state) => topOf(state, true)))
  const over = useSubAgents(useShallow((state) => topOf(state, false).toReversed()))
  return (
    <>
      <header className="agents-head">
        <h2>{t.subAgents.title}</h2>
      </header>
      <div className="agents-body">
        {atWork.length + over.length === 0 && <p className="agents-none">{t.subAgents.none}</p>}
        {atWork.length > 0 && <h3>{t.subAgents.atWork}</h3>}
        {atWork.length > 0 && <AgentTree agentIds={atWork} label={t.subAgents.atWork} />}
        {over.length > 0 && <h3>{atWork.length > 0 ? t.subAgents.earlier : t.subAgents.over}</h3>}
        {over.length > 0 && <AgentTree agentIds={over} label={t.subAgents.over} />}
      </div>
    </>
  )
}

/** Those at the top of the tree that are at work, or have somebody at work below them; or the others. */
function topOf({ agents, below }: SubAgentsState, atWork: boolean): string[] {
  const works = (agentId: string) =>
    subtree(below, [agentId]).some((id) => isAgentActive(agents.get(id) ?? { status: 'completed' }))
  return (below.get(null) ?? []).filter((agentId) => works(agentId) === atWork)
}
