import { ArrowLeft, Copy, FilePen, MessageSquare, Pencil, Power, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { AgentDefinitionBody, AgentInfo, ToolInfo } from '../api/session-types.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { draftFromAgent } from './agent-draft.ts'
import { StoredFileEditor } from '../instructions/stored-file-editor.tsx'
import { AgentForm } from './agent-form.tsx'

export interface AgentDetailsProps {
  agent: AgentInfo
  /** True if this is the workspace's override of an agent from another source. */
  replaces: boolean
  tools: readonly ToolInfo[]
  others: readonly AgentInfo[]
  onBack: () => void
  onTry: () => void
  onCopy: () => void
  onSave: (body: Omit<AgentDefinitionBody, 'enabled'>) => Promise<void>
  /** The file was changed. */
  onFileSaved: () => void
  onToggle: (enabled: boolean) => void
  onDelete: () => Promise<void>
}

/**
 * Details of one agent. Workspace agents are editable, and so are files; for all others and on request, the form creates
 * a workspace override.
 */
export function AgentDetails({ agent, replaces, tools, others, ...does }: AgentDetailsProps) {
  const [removing, setRemoving] = useState(false)
  const [changing, setChanging] = useState(false)
  const [editsFile, setEditsFile] = useState(false)
  const isOwn = agent.source === 'database'
  const file = agent.source === 'home' || agent.source === 'project' ? agent.path : undefined
  const isMaster = agent.source === 'built-in' && agent.name === 'master'
  // Edit an overridden agent through its override. An agent without its tools gains nothing from an edit.
  const canChange = !isOwn && !isMaster && (agent.enabled || agent.turnedOff === true)
  return (
    <>
      <div className="agent-tools">
        <Button kind="quiet" onClick={does.onBack}>
          <ArrowLeft aria-hidden />
          {t.agents.all}
        </Button>
        {agent.enabled && (
          <Button kind="quiet" onClick={does.onTry}>
            <MessageSquare aria-hidden />
            {t.agents.tryIt}
          </Button>
        )}
        <Button kind="quiet" onClick={does.onCopy}>
          <Copy aria-hidden />
          {t.ui.copy}
        </Button>
        {file !== undefined && !editsFile && !changing && (
          <Button kind="quiet" onClick={() => setEditsFile(true)}>
            <FilePen aria-hidden />
            {t.skillEditor.fix}
          </Button>
        )}
        {canChange && !changing && !editsFile && (
          <Button kind="quiet" onClick={() => setChanging(true)}>
            <Pencil aria-hidden />
            {file === undefined ? t.agents.edit : t.agents.override}
          </Button>
        )}
        {canChange && (
          <Button kind="quiet" onClick={() => does.onToggle(!agent.enabled)}>
            <Power aria-hidden />
            {agent.enabled ? t.agents.turnOff : t.agents.turnOn}
          </Button>
        )}
        {isOwn && (
          <Button kind="quiet" onClick={() => setRemoving(true)}>
            <Trash2 aria-hidden />
            {t.ui.delete}
          </Button>
        )}
      </div>
      <p className="settings-note">
        {isMaster ? t.agents.master : replaces ? t.agents.replaces : t.agents.origins[agent.source]}
        {agent.path !== undefined && agent.source !== 'built-in' && (
          <>
            {' '}
            <code>
              <VisibleText text={agent.path} as="name" />
            </code>
          </>
        )}
      </p>
      {agent.note !== undefined && (
        <p className="settings-warning">
          <VisibleText text={translateServerText(agent.note, 'text')} />
        </p>
      )}
      {changing && agent.languages.length > 0 && (
        <p className="settings-note">{t.agents.oneLanguage(agent.languages.join(', '))}</p>
      )}
      {editsFile && file !== undefined ? (
        <StoredFileEditor kind="agent" path={file} onSaved={does.onFileSaved}>
          <Button kind="quiet" onClick={() => setEditsFile(false)}>
            {t.ui.close}
          </Button>
        </StoredFileEditor>
      ) : isOwn || changing ? (
        <AgentForm
          initial={draftFromAgent(agent)}
          keptAs={agent.name}
          isNamed
          tools={tools}
          others={others}
          onCancel={isOwn ? does.onBack : () => setChanging(false)}
          onSave={(_, body) => does.onSave(body)}
        />
      ) : (
        <ReadOnly agent={agent} />
      )}
      {removing && (
        <ConfirmDialog
          title={t.agents.deleteTitle}
          confirm={t.ui.delete}
          onConfirm={() => void does.onDelete()}
          onClose={() => setRemoving(false)}
        >
          <p>{t.agents.deleteText(agent.name)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function ReadOnly({ agent }: { agent: AgentInfo }) {
  const { description, systemPrompt, languages, tools, allowedSubAgents, model, maxDepth, maxSteps, params } = agent
  const limits = [
    model !== undefined && t.agents.limits.model(model),
    maxSteps !== undefined && t.agents.limits.steps(maxSteps),
    maxDepth !== undefined && t.agents.limits.depth(maxDepth),
    ...Object.entries(params ?? {}).map(([name, value]) => `${t.composer.setting[name] ?? name}: ${String(value)}`),
  ].filter((limit) => limit !== false)
  return (
    <dl className="agent-facts-list">
      <dt>{t.agents.purpose}</dt>
      <dd>
        <VisibleText text={translateServerText(description, 'text')} />
      </dd>
      <dt>{t.agents.toolsAndGroups}</dt>
      <dd className="agent-names">
        {tools.length === 0 && t.agents.noTools}
        {tools.map((name) => (
          <code key={name}>
            <VisibleText text={name} as="name" />
          </code>
        ))}
      </dd>
      <dt>{t.agents.delegatesTo}</dt>
      <dd className="agent-names">
        {allowedSubAgents === undefined && t.agents.allAvailable}
        {allowedSubAgents?.length === 0 && t.agents.noAgents}
        {allowedSubAgents?.map((name) => (
          <code key={name}>
            <VisibleText text={name} as="name" />
          </code>
        ))}
      </dd>
      {limits.length > 0 && (
        <>
          <dt>{t.agents.limitsTitle}</dt>
          <dd>{limits.join(', ')}</dd>
        </>
      )}
      <dt>
        {t.agents.prompt}
        {languages.length > 0 && <span className="agent-languages"> {t.agents.alsoIn(languages.join(', '))}</span>}
      </dt>
      <dd>
        <pre className="agent-prompt">
          <VisibleText text={systemPrompt} />
        </pre>
      </dd>
    </dl>
  )
}
