import { ChevronRight, MessageSquare, Plus, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import { StoredFileEditor } from '../instructions/stored-file-editor.tsx'
import type { AgentDefinitionBody, AgentInfo, AgentList, ToolInfo } from '../api/session-types.ts'
import { TrustRow, useSettingsPane } from '../settings/section-parts.tsx'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { AgentDetails } from './agent-details.tsx'
import { draftFromCopy, emptyDraft } from './agent-draft.ts'
import { AgentForm } from './agent-form.tsx'
import './agents-section.css'

type View =
  | { kind: 'list' }
  | { kind: 'agent'; name: string; source: AgentInfo['source'] }
  | { kind: 'new'; from?: AgentInfo }

const groups: { id: 'own' | 'files' | 'builtIn'; source: AgentInfo['source'][] }[] = [
  { id: 'own', source: ['database'] },
  { id: 'files', source: ['project', 'home'] },
  { id: 'builtIn', source: ['built-in'] },
]

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
          onFileSaved={() => void store.load()}
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
            <FileWithProblem
              key={`${path} ${message}`}
              path={path}
              message={message}
              onSaved={() => void store.load()}
            />
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
          <TrustRow onChanged={store.load} />
        </>
      )}
    </div>
  )
}

function FileWithProblem({ path, message, onSaved }: { path: string; message: string; onSaved: () => void }) {
  const [editing, setEditing] = useState(false)
  return (
    <div className="agent-problem">
      <p className="settings-warning">
        <TriangleAlert aria-hidden />
        <span>
          <VisibleText text={`${path}: ${translateServerText(message, 'text')}`} />
        </span>
        {path.endsWith('.md') && !editing && (
          <Button aria-label={`${t.skillEditor.fix} ${path}`} onClick={() => setEditing(true)}>
            {t.skillEditor.fix}
          </Button>
        )}
      </p>
      {editing && (
        <StoredFileEditor kind="agent" path={path} onSaved={onSaved}>
          <Button kind="quiet" onClick={() => setEditing(false)}>
            {t.ui.close}
          </Button>
        </StoredFileEditor>
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

interface AgentEntryProps {
  agent: AgentInfo
  replaces: boolean
  onOpen: () => void
  onTry: () => void
  onToggle: (enabled: boolean) => void
}

function AgentEntry({ agent, replaces, onOpen, onTry, onToggle }: AgentEntryProps) {
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

interface DefinitionsState {
  list: AgentList | null
  tools: ToolInfo[]
  failure: string | null
}

type DefinitionsStore = StoreApi<DefinitionsState> & {
  load: () => Promise<void>
  /** Both throw the server's validation error. */
  add: (name: string, definition: AgentDefinitionBody) => Promise<AgentInfo>
  change: (name: string, patch: Partial<AgentDefinitionBody>) => Promise<AgentInfo>
  turn: (name: string, enabled: boolean) => Promise<void>
  remove: (name: string) => Promise<void>
}

function createDefinitionsStore(api: Api): DefinitionsStore {
  const store = createStore<DefinitionsState>(() => ({ list: null, tools: [], failure: null }))
  return { ...store, load, add, change, turn, remove }

  async function load(): Promise<void> {
    try {
      const [list, { tools }] = await Promise.all([api.agents(), api.tools()])
      store.setState({ list, tools, failure: null })
    } catch (error) {
      store.setState({ failure: toErrorInfo(error).message })
    }
  }

  async function add(name: string, definition: AgentDefinitionBody): Promise<AgentInfo> {
    const { agent } = await api.addAgent(name, definition)
    await load()
    return agent
  }

  async function change(name: string, patch: Partial<AgentDefinitionBody>): Promise<AgentInfo> {
    const { agent } = await api.changeAgent(name, patch)
    await load()
    return agent
  }

  function turn(name: string, enabled: boolean): Promise<void> {
    return attempt(() => api.changeAgent(name, { enabled }))
  }

  function remove(name: string): Promise<void> {
    return attempt(() => api.deleteAgent(name))
  }

  async function attempt(act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
      await load()
    } catch (error) {
      store.setState({ failure: toErrorInfo(error).message })
    }
  }
}
