import { useId } from 'react'
import type { AgentInfo } from '../api/agent-info.ts'
import { Segments } from '../ui/segments.tsx'
import type { AgentDraft } from './agent-draft.ts'
import { names, withName } from './tool-groups.ts'

export interface DelegateChoiceProps {
  delegates: AgentDraft['delegates']
  allowed: readonly string[]
  others: readonly AgentInfo[]
  problem: string | undefined
  onChange: (change: Partial<AgentDraft>) => void
}

const choices = [
  { value: 'nobody', label: 'Nobody' },
  { value: 'some', label: 'Only these' },
  { value: 'default', label: 'All that are offered' },
] as const

/** Whom it may give work to, where it has the tool for it. */
export function DelegateChoice({ delegates, allowed, others, problem, onChange }: DelegateChoiceProps) {
  const problemId = useId()
  const offered = [
    ...others.map(({ name }) => name),
    ...allowed.filter((name) => !others.some((one) => names([one.name], name))),
  ]
  return (
    <fieldset className="agent-choice" tabIndex={-1} aria-describedby={problemId}>
      <legend>Delegates to</legend>
      <Segments
        label="Whom it may delegate to"
        options={choices}
        value={delegates}
        onChange={(value) => onChange({ delegates: value, allowed: [...allowed] })}
      />
      {delegates === 'some' && (
        <div className="agent-checks">
          {offered.map((name) => (
            <label key={name} className="agent-check">
              <input
                type="checkbox"
                checked={names(allowed, name)}
                onChange={(event) => onChange({ allowed: withName(allowed, name, event.target.checked) })}
              />
              {name}
            </label>
          ))}
        </div>
      )}
      {delegates !== 'nobody' && <p className="agent-hint">It also needs the tool Task, or the group “agent”.</p>}
      <p id={problemId} className="agents-failure">
        {problem}
      </p>
    </fieldset>
  )
}
