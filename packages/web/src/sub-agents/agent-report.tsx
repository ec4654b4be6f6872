import { PanelRightOpen } from 'lucide-react'
import { Markdown } from '../markdown/markdown.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Group } from '../ui/group.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { AgentIcon } from './agent-icon.tsx'
import { statusLabel } from './describe-agent.ts'
import { isKnownStatus } from './read-report.ts'
import type { Report } from './read-report.ts'
import { useShowAgent } from './use-show-agent.ts'
import './agent-report.css'

/** What an agent has brought back, and the way to how it came to it. */
export function AgentReport({ report, isNamed = false }: { report: Report; isNamed?: boolean }) {
  const showAgent = useShowAgent()
  const { agentId, name, status, text, note, steps, tokens } = report
  return (
    <Group className="agent-report" label={t.subAgents.reports(name)}>
      {isNamed && (
        <h4 className="agent-report-name">
          {isKnownStatus(status) && <AgentIcon status={status} />}
          <VisibleText text={name} as="name" />
        </h4>
      )}
      {text !== '' && <Markdown text={text} done />}
      {note !== undefined && (
        <p className="agent-note" data-status={status}>
          <VisibleText text={note} />
        </p>
      )}
      <p className="agent-report-foot">
        <span>{isKnownStatus(status) ? statusLabel({ status, asks: 0 }) : status}</span>
        {steps > 0 && <span>{t.subAgents.steps(steps)}</span>}
        {tokens > 0 && <span>{t.subAgents.tokens(formatCount(tokens))}</span>}
        {agentId !== undefined && (
          <Button kind="quiet" onClick={() => showAgent(agentId)}>
            <PanelRightOpen aria-hidden />
            {t.subAgents.openIts}
          </Button>
        )}
      </p>
    </Group>
  )
}
