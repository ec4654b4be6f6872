import { ChevronRight } from 'lucide-react'
import { useId } from 'react'
import { useDisclosure } from '../chat/use-disclosure.ts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { t } from '../texts/t.ts'
import { Group } from '../ui/group.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { AgentIcon } from './agent-icon.tsx'
import { AgentReport } from './agent-report.tsx'
import { firstLine, statusLabel } from './describe-agent.ts'
import { isKnownStatus } from './read-report.ts'
import type { Report } from './read-report.ts'

/** One that worked in the background has ended, and the answer goes on with what it brought back. */
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
