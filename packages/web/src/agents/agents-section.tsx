import { Plus, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { AgentInfo } from '../api/agent-info.ts'
import { useSettingsPane } from '../settings/settings-context.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { AgentDetails } from './agent-details.tsx'
import { AgentEntry } from './agent-entry.tsx'
import { AgentForm } from './agent-form.tsx'
import { draftFromCopy, emptyDraft } from './agent-draft.ts'
import { createDefinitionsStore } from './definitions-store.ts'
import './agents-section.css'

/** What is looked at: the list, one agent, or a new one that may begin as a copy of another. */
type View =
  | { kind: 'list' }
  | { kind: 'agent'; name: string; source: AgentInfo['source'] }
  | { kind: 'new'; from?: AgentInfo }

const groups: { id: 'own' | 'files' | 'builtIn'; source: AgentInfo['source'][] }[] = [
  { id: 'own', source: ['database'] },
  { id: 'files', source: ['project', 'home'] },
  { id: 'builtIn', source: ['built-in'] },
]

/** Whom sessions and agents can be given work to: where each comes from, what it may use, whether it can be used. */
export function AgentsSection() {
  const { api, app } = useWorkspace()
  const [store] = useState(() => createDefinitionsStore(api))
  const { list, tools, failure } = useStore(store)
  const [view, setView] = useState<View>({ kind: 'list' })
  const [outcome, setOutcome] = useState('')
  const pane = useSettingsPane()
  useEffect(() => void store.load(), [store])
  const agents = list?.agents ?? []
  const agent =
    view.kind === 'agent' ? agents.find(({ name, source }) => name === view.name && source === view.source) : undefined
  const replaces = ({ name, source }: AgentInfo) =>
    source === 'database' && agents.some((other) => other.source !== source && other.name === name)

  const toList = (said = '') => {
    setOutcome(said)
    setView({ kind: 'list' })
    pane.toTop()
  }
  const tryOut = (name: string) => {
    pane.close()
    app.newSession()
    app.chooseAgent(name)
  }
  const toggle = (name: string, enabled: boolean) => void store.turn(name, enabled)
  const others = agents.filter(({ enabled, name, hidden }) => enabled && name !== 'master' && hidden !== true)

  return (
    <div className="agents">
      {view.kind !== 'list' && (
        <h3>{view.kind === 'new' ? t.agents.newAgent : <VisibleText text={view.name} as="name" />}</h3>
      )}
      {failure !== null && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {view.kind === 'new' && (
        <AgentForm
          initial={view.from === undefined ? emptyDraft : draftFromCopy(view.from)}
          keptAs={view.from === undefined ? '' : `copy:${view.from.name}`}
          tools={tools}
          others={others}
          onCancel={() => toList()}
          onSave={async (name, body) => {
            const { note } = await store.add(name, { ...body, enabled: true })
            toList(`${t.agents.saved(name)} ${note ?? ''}`)
          }}
        />
      )}
      {agent !== undefined && (
        <AgentDetails
          key={`${agent.source} ${agent.name}`}
          agent={agent}
          replaces={replaces(agent)}
          tools={tools}
          others={others.filter(({ name }) => name !== agent.name)}
          onBack={() => toList()}
          onTry={() => tryOut(agent.name)}
          onCopy={() => setView({ kind: 'new', from: agent })}
          onSave={async (body) => {
            const { note } = await store.change(agent.name, body)
            toList(`${t.agents.saved(agent.name)} ${note ?? ''}`)
          }}
          onToggle={(enabled) => toggle(agent.name, enabled)}
          onDelete={async () => {
            await store.remove(agent.name)
            toList(t.agents.deleted(agent.name))
          }}
        />
      )}
      {view.kind === 'list' && (
        <>
          <p className="settings-note">{t.agents.intro}</p>
          <output className="settings-outcome">{outcome}</output>
          {list?.problems.map(({ path, message }) => (
            <p key={path} className="settings-warning">
              <TriangleAlert aria-hidden />
              <span>
                <VisibleText text={`${path}: ${message}`} />
              </span>
            </p>
          ))}
          {list === null && failure === null && <p className="settings-note">{t.ui.loading}</p>}
          {list !== null &&
            groups.map(({ id, source }) => (
              <Section
                key={id}
                title={t.agents[id]}
                agents={agents
                  .filter((one) => source.includes(one.source))
                  .toSorted((one, other) => Number(other.enabled) - Number(one.enabled))}
                isOwn={source.includes('database')}
                replaces={replaces}
                onNew={() => setView({ kind: 'new' })}
                onOpen={({ name, source: from }) => setView({ kind: 'agent', name, source: from })}
                onTry={tryOut}
                onToggle={toggle}
              />
            ))}
        </>
      )}
    </div>
  )
}

interface SectionProps {
  title: string
  agents: AgentInfo[]
  isOwn: boolean
  replaces: (agent: AgentInfo) => boolean
  onNew: () => void
  onOpen: (agent: AgentInfo) => void
  onTry: (name: string) => void
  onToggle: (name: string, enabled: boolean) => void
}

function Section({ title, agents, isOwn, replaces, onNew, onOpen, onTry, onToggle }: SectionProps) {
  if (agents.length === 0 && !isOwn) return null
  return (
    <section className="agents-section" aria-label={title}>
      <header>
        <h3>{title}</h3>
        {isOwn && (
          <Button data-setting="new" onClick={onNew}>
            <Plus aria-hidden />
            {t.agents.newAgent}
          </Button>
        )}
      </header>
      {agents.length === 0 && <p className="settings-none">{t.agents.noneYet}</p>}
      {agents.length > 0 && (
        <ul className="settings-rows">
          {agents.map((agent) => (
            <AgentEntry
              key={`${agent.source} ${agent.name}`}
              agent={agent}
              replaces={replaces(agent)}
              onOpen={() => onOpen(agent)}
              onTry={() => onTry(agent.name)}
              onToggle={(enabled) => onToggle(agent.name, enabled)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
