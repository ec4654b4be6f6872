import { ArrowLeft, Copy, MessageSquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { AgentDefinitionBody, AgentInfo, ToolInfo } from '../api/agent-info.ts'
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

const origins: Record<AgentInfo['source'], string> = {
  'built-in': 'It comes with Troupe and cannot be changed; a copy can.',
  database: 'It belongs to this workspace.',
  home: 'It is changed in its file, in your home.',
  project: 'It is changed in its file, in the project.',
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
          All agents
        </Button>
        {agent.enabled && (
          <Button kind="quiet" onClick={does.onTry}>
            <MessageSquare aria-hidden />
            Try in a new session
          </Button>
        )}
        <Button kind="quiet" onClick={does.onCopy}>
          <Copy aria-hidden />
          Copy
        </Button>
        {isOwn && (
          <Button kind="quiet" onClick={() => setRemoving(true)}>
            <Trash2 aria-hidden />
            Delete
          </Button>
        )}
      </div>
      <p className="agents-intro">
        {origins[agent.source]}
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
          title="Delete this agent?"
          confirm="Delete"
          onConfirm={() => void does.onDelete()}
          onClose={() => setRemoving(false)}
        >
          <p>
            “{agent.name}” can no longer be given work. What it has done in sessions stays, and runs under way go on
            with it.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

function ReadOnly({ agent }: { agent: AgentInfo }) {
  const { description, systemPrompt, languages, tools, allowedSubAgents, model, maxDepth, maxSteps } = agent
  const limits = [
    model !== undefined && `model ${model}`,
    maxSteps !== undefined && `at most ${maxSteps} steps a turn`,
    maxDepth !== undefined && `chains of at most ${maxDepth} agents`,
  ].filter((limit) => limit !== false)
  return (
    <dl className="agent-facts-list">
      <dt>For</dt>
      <dd>
        <VisibleText text={description} />
      </dd>
      <dt>Tools and groups</dt>
      <dd className="agent-names">
        {tools.length === 0 && 'none'}
        {tools.map((name) => (
          <code key={name}>
            <VisibleText text={name} as="name" />
          </code>
        ))}
      </dd>
      <dt>Delegates to</dt>
      <dd className="agent-names">
        {allowedSubAgents === undefined && 'all that are offered'}
        {allowedSubAgents?.length === 0 && 'nobody'}
        {allowedSubAgents?.map((name) => (
          <code key={name}>
            <VisibleText text={name} as="name" />
          </code>
        ))}
      </dd>
      {limits.length > 0 && (
        <>
          <dt>Limits</dt>
          <dd>{limits.join(', ')}</dd>
        </>
      )}
      <dt>
        Prompt
        {languages.length > 0 && <span className="agent-languages"> (also in: {languages.join(', ')})</span>}
      </dt>
      <dd>
        <pre className="agent-prompt">
          <VisibleText text={systemPrompt} />
        </pre>
      </dd>
    </dl>
  )
}
