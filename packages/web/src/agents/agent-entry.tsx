import { ChevronRight, MessageSquare } from 'lucide-react'
import type { AgentInfo } from '../api/agent-info.ts'
import { translateServerText } from '../texts/said.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'

export interface AgentEntryProps {
  agent: AgentInfo
  /** It is the workspace's version of one that comes from elsewhere. */
  replaces: boolean
  onOpen: () => void
  onTry: () => void
  onToggle: (enabled: boolean) => void
}

/** One line of the list: who it is, whether it can be used, and why not. */
export function AgentEntry({ agent, replaces, onOpen, onTry, onToggle }: AgentEntryProps) {
  const { name, description, source, enabled, turnedOff, hidden, note } = agent
  const canToggle = name !== 'master' && (source === 'database' || enabled || turnedOff === true)
  return (
    <li className="agent-entry" data-enabled={enabled} data-setting={`agent-${name}`}>
      <button type="button" className="settings-row-head agent-entry-open" onClick={onOpen}>
        <span className="agent-entry-name">
          <VisibleText text={name} as="name" />
          {hidden && <span className="badge">{t.agents.hidden}</span>}
          {!enabled && <span className="badge">{t.agents.off}</span>}
          {replaces && <span className="badge">{t.agents.yourVersion}</span>}
          {(source === 'home' || source === 'project') && <span className="badge">{t.agents.places[source]}</span>}
        </span>
        <span className="agent-entry-about">
          <VisibleText text={translateServerText(description, 'text')} />
        </span>
        {note !== undefined && (
          <span className="agent-entry-note">
            <VisibleText text={translateServerText(note, 'text')} />
          </span>
        )}
        <ChevronRight className="tool-chevron" aria-hidden />
      </button>
      <span className="agent-entry-actions">
        {enabled && (
          <Button kind="quiet" aria-label={t.agents.tryNamed(name)} onClick={onTry}>
            <MessageSquare aria-hidden />
            {t.agents.try}
          </Button>
        )}
        {canToggle && (
          <Button
            kind="quiet"
            aria-label={enabled ? t.agents.turnNamedOff(name) : t.agents.turnNamedOn(name)}
            onClick={() => onToggle(!enabled)}
          >
            {enabled ? t.agents.turnOff : t.agents.turnOn}
          </Button>
        )}
      </span>
    </li>
  )
}
