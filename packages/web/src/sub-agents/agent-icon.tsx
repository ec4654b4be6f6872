import type { AgentStatus } from '@troupe/core'
import { Check, CircleAlert, CircleStop, Clock, Hand, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'

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
