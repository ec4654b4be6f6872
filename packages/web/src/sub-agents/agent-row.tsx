import type { AgentStatus } from '@troupe/core'
import {
  Check,
  ChevronRight,
  CircleAlert,
  CircleStop,
  Clock,
  Hand,
  LoaderCircle,
  PanelRightOpen,
  RotateCw,
  Square,
} from 'lucide-react'
import { memo, type ReactNode, useEffect, useId, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { useDisclosure, useSessionStore } from '../chat/session/session-context.ts'
import { useAnyAgentActive, useSubAgent, useSubAgents } from '../chat/session/session-hooks.ts'
import type { SubAgentsState } from '../chat/session/session-types.ts'
import { type CurrentCall, isAgentActive, type SubAgent } from '../chat/session/sub-agent.ts'
import { subtree } from '../chat/session/sub-agents-state.ts'
import { agentPanel } from '../chat/session/sub-agents.ts'
import { formatCost, formatCount, formatDuration } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import './agent-row.css'
import './agent-tree.css'

export function AgentActions({ agent, opens = true }: { agent: SubAgent; opens?: boolean }) {
  const { agents } = useSessionStore()
  const showAgent = useShowAgent()
  const { agentId, name, status, asks } = agent
  const isBusy = useSubAgents(({ busy }) => busy.has(agentId))
  return (
    <span className="agent-actions">
      {opens && asks > 0 && (
        <Button aria-label={t.subAgents.answerNamed(name)} onClick={() => showAgent(agentId)}>
          {t.subAgents.answer}
        </Button>
      )}
      {isAgentActive(agent) && (
        <IconButton label={t.subAgents.stop(name)} disabled={isBusy} onClick={() => void agents.stop(agentId)}>
          <Square className="agent-stop" />
        </IconButton>
      )}
      {(status === 'failed' || status === 'stopped') && (
        <IconButton label={t.subAgents.tryAgain(name)} disabled={isBusy} onClick={() => void agents.retry(agentId)}>
          <RotateCw />
        </IconButton>
      )}
      {opens && asks === 0 && (
        <IconButton label={t.subAgents.open(name)} onClick={() => showAgent(agentId)}>
          <PanelRightOpen />
        </IconButton>
      )}
    </span>
  )
}

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

function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span>{formatElapsed(now - since)}</span>
}

const icons: Record<AgentStatus, ReactNode> = {
  pending: <Clock aria-hidden />,
  running: <LoaderCircle className="spinning" aria-hidden />,
  waiting: <Hand aria-hidden />,
  completed: <Check aria-hidden />,
  failed: <CircleAlert aria-hidden />,
  stopped: <CircleStop aria-hidden />,
}

export function AgentIcon({ status }: { status: AgentStatus }) {
  return (
    <span className="agent-icon" data-status={status}>
      {icons[status]}
    </span>
  )
}

export function statusLabel({ status, asks }: Pick<SubAgent, 'status' | 'asks'>): string {
  return status === 'waiting' && asks > 0 ? t.subAgents.needsAttention : t.subAgents.statuses[status]
}

export function describeWork(agent: SubAgent): CurrentCall {
  const { status, asks, currentCall: doing, line } = agent
  if (status === 'pending') return { title: t.subAgents.doing.pending, target: undefined }
  if (status === 'waiting' && asks > 0) return { title: t.subAgents.doing.ask, target: doing?.title }
  if (status === 'waiting') return { title: t.subAgents.doing.below, target: undefined }
  if (doing !== null) return doing
  return { title: line === '' ? t.subAgents.doing.begins : t.subAgents.doing.writes, target: undefined }
}

/** Returns the last line written. After the end, returns the reason the answer may be incomplete. */
export function latestText(agent: SubAgent): string {
  return isAgentActive(agent) ? agent.line : translateServerText(agent.note ?? '', 'text')
}

export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 300) ?? ''
}

/** Formats a running duration: `7 s`, `2 min 5 s`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return t.format.seconds(String(seconds))
  return t.format.minutes(String(Math.floor(seconds / 60)), String(seconds % 60))
}

/** Opens an agent's panel. Null shows all agents. */
export function useShowAgent(): (agentId: string | null) => void {
  const { agents, panels } = useSessionStore()
  return (agentId) => void panels.open(agentPanel(agents, agentId))
}

interface AgentRowProps {
  agentId: string
  /** True if the name and task already appear above. */
  isBare?: boolean
}

/** Shows an agent's name, status, activity and latest text. Re-renders only when the agent changes. */
export const AgentRow = memo(function AgentRow({ agentId, isBare = false }: AgentRowProps) {
  const agent = useSubAgent(agentId)
  if (agent === undefined) return null
  const working = isAgentActive(agent)
  const { title, target } = working ? describeWork(agent) : { title: statusLabel(agent), target: firstLine(agent.task) }
  const words = latestText(agent)
  return (
    <article
      className="agent"
      data-status={agent.status}
      data-bare={isBare}
      aria-label={`${agent.name}: ${statusLabel(agent)}`}
    >
      <AgentIcon status={agent.status} />
      <p className="agent-head">
        {!isBare && (
          <span className="agent-name">
            <VisibleText text={agent.name} as="name" />
          </span>
        )}
        {(working || isBare) && <span className="agent-doing">{title}</span>}
        {target !== undefined && !(isBare && !working) && (
          <span className="agent-target">
            <VisibleText text={target} as="name" />
          </span>
        )}
      </p>
      <AgentFacts agent={agent} />
      <AgentActions agent={agent} />
      {words !== '' && (
        <p className="agent-line" dir="auto">
          <VisibleText text={words} as="name" />
        </p>
      )}
    </article>
  )
})

/** Tree of agents. Subtrees collapse when all their agents have ended. */
export function AgentTree({ agentIds, label }: { agentIds: readonly string[]; label?: string }) {
  return (
    <ul className="agent-tree" aria-label={label}>
      {agentIds.map((agentId) => (
        <AgentBranch key={agentId} agentId={agentId} />
      ))}
    </ul>
  )
}

const none: readonly string[] = []

const AgentBranch = memo(function AgentBranch({ agentId }: { agentId: string }) {
  const below = useSubAgents((state) => state.children.get(agentId) ?? none)
  const name = useSubAgents(({ agents }) => agents.get(agentId)?.name ?? '')
  const works = useAnyAgentActive(below)
  const [open, setOpen] = useDisclosure(`below ${agentId}`, works)
  const listId = useId()
  return (
    <li className="agent-branch">
      <AgentRow agentId={agentId} />
      {below.length > 0 && (
        <>
          <button
            type="button"
            className="agent-fold"
            aria-expanded={open}
            aria-controls={listId}
            aria-label={t.subAgents.belowNamed(below.length, name)}
            onClick={() => setOpen(!open)}
          >
            <ChevronRight aria-hidden />
            {t.subAgents.below(below.length)}
          </button>
          <div id={listId} hidden={!open}>
            {open && <AgentTree agentIds={below} label={t.cards.agentsOf(name)} />}
          </div>
        </>
      )}
    </li>
  )
})

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
        {atWork.length > 0 && <h3>{t.subAgents.running}</h3>}
        {atWork.length > 0 && <AgentTree agentIds={atWork} label={t.subAgents.running} />}
        {over.length > 0 && <h3>{atWork.length > 0 ? t.subAgents.earlier : t.subAgents.finished}</h3>}
        {over.length > 0 && <AgentTree agentIds={over} label={t.subAgents.finished} />}
      </div>
    </>
  )
}

function topOf({ agents, children: below }: SubAgentsState, atWork: boolean): string[] {
  const works = (agentId: string) =>
    subtree(below, [agentId]).some((id) => isAgentActive(agents.get(id) ?? { status: 'completed' }))
  return (below.get(null) ?? []).filter((agentId) => works(agentId) === atWork)
}
