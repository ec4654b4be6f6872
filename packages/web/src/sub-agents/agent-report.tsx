import { ChevronRight, PanelRightOpen } from 'lucide-react'
import { useId } from 'react'
import { useDisclosure } from '../chat/session/session-context.ts'
import { isKnownStatus, type Report } from '../chat/session/sub-agent.ts'
import { Markdown } from '../content/markdown.tsx'
import { formatCount } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Group, VisibleText } from '../ui/elements.tsx'
import { stripMarkdown } from '../ui/strip-markdown.ts'
import './agent-report.css'
import { AgentIcon, firstLine, statusLabel, useShowAgent } from './agent-row.tsx'

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
          <VisibleText text={translateServerText(note, 'text')} />
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

/** Marks where a background agent ended and the answer continues with its report. */
export function AgentNotice({ id, report }: { id: string; report: Report }) {
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  const { name, status, text } = report
  const word = isKnownStatus(status) ? statusLabel({ status, asks: 0 }) : status
  return (
    <Group className="tool" label={`${t.subAgents.hasEnded(name)}: ${word}`}>
      <button
        type="button"
        className="tool-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        {isKnownStatus(status) && <AgentIcon status={status} />}
        <span className="tool-title">
          <VisibleText text={t.subAgents.hasEnded(name)} as="name" />
        </span>
        <span className="tool-summary">
          <VisibleText text={firstLine(stripMarkdown(text))} as="name" />
        </span>
        <span className="tool-facts">{word}</span>
        <ChevronRight className="tool-chevron" aria-hidden />
      </button>
      <div id={bodyId} className="tool-body" hidden={!open}>
        {open && <AgentReport report={report} />}
      </div>
    </Group>
  )
}
