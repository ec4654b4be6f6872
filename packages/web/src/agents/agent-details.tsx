import { ArrowLeft, Copy, MessageSquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { AgentDefinitionBody, AgentInfo, ToolInfo } from '../api/agent-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { AgentForm } from './agent-form.tsx'
import { draftOf } from './agent-draft.ts'

export interface AgentDetailsProps {
  agent: AgentInfo
  tools: readonly ToolInfo[]
  others: readonly AgentInfo[]
  onBack: () => void
  onTry: () => void
  onCopy: () => void
  onSave: (body: Omit<AgentDefinitionBody, 'enabled'>) => Promise<void>
  onDelete: () => Promise<void>
}

/** One agent: its form where it is the workspace's own, else what it is. */
export function AgentDetails({ agent, tools, others, ...does }: AgentDetailsProps) {
  const [removing, setRemoving] = useState(false)
  const isOwn = agent.source === 'database'
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
        {isOwn && (
          <Button kind="quiet" onClick={() => setRemoving(true)}>
            <Trash2 aria-hidden />
            {t.ui.delete}
          </Button>
        )}
      </div>
      <p className="agents-intro">
        {t.agents.origins[agent.source]}
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
        <p className="agents-problem">
          <VisibleText text={agent.note} />
        </p>
      )}
      {isOwn ? (
        <AgentForm
          initial={draftOf(agent)}
          keptAs={agent.name}
          isNamed
          tools={tools}
          others={others}
          onCancel={does.onBack}
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
  const { description, systemPrompt, languages, tools, allowedSubAgents, model, maxDepth, maxSteps } = agent
  const limits = [
    model !== undefined && t.agents.limits.model(model),
    maxSteps !== undefined && t.agents.limits.steps(maxSteps),
    maxDepth !== undefined && t.agents.limits.depth(maxDepth),
  ].filter((limit) => limit !== false)
  return (
    <dl className="agent-facts-list">
      <dt>{t.agents.for}</dt>
      <dd>
        <VisibleText text={description} />
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
        {allowedSubAgents === undefined && t.agents.allOffered}
        {allowedSubAgents?.length === 0 && t.agents.nobody}
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
