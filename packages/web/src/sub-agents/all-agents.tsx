import { X } from 'lucide-react'
import { IconButton } from '../ui/icon-button.tsx'
import { AgentTree } from './agent-tree.tsx'
import { isAtWork } from './sub-agent.ts'
import { subtree } from './sub-agents-state.ts'
import { useSubAgents } from './use-sub-agents.ts'

/** Every agent of the session: those at work first, then the others, newest first. */
export function AllAgents({ onClose }: { onClose: () => void }) {
  const agents = useSubAgents((state) => state.agents)
  const below = useSubAgents((state) => state.below)
  const top = below.get(null) ?? []
  const works = (agentId: string) =>
    subtree(below, [agentId]).some((id) => isAtWork(agents.get(id) ?? { status: 'completed' }))
  const atWork = top.filter(works)
  const over = top.filter((agentId) => !works(agentId)).toReversed()
  return (
    <>
      <header className="agents-head">
        <h2>Agents</h2>
        <IconButton label="Close" shortcut="Esc" onClick={onClose}>
          <X />
        </IconButton>
      </header>
      <div className="agents-body">
        {top.length === 0 && <p className="agents-none">No agent has worked for this session yet.</p>}
        {atWork.length > 0 && <h3>At work</h3>}
        {atWork.length > 0 && <AgentTree agentIds={atWork} label="At work" />}
        {over.length > 0 && <h3>{atWork.length > 0 ? 'Earlier' : 'Over'}</h3>}
        {over.length > 0 && <AgentTree agentIds={over} label="Over" />}
      </div>
    </>
  )
}
