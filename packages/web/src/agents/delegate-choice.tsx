import { useId } from 'react'
import type { AgentInfo } from '../api/agent-info.ts'
import { t } from '../texts/t.ts'
import { Segments } from '../ui/segments.tsx'
import type { AgentDraft } from './agent-draft.ts'
import { includesName, withName } from './tool-groups.ts'

export interface DelegateChoiceProps {
  delegates: AgentDraft['delegates']
  allowed: readonly string[]
  others: readonly AgentInfo[]
  problem: string | undefined
  onChange: (change: Partial<AgentDraft>) => void
}

const delegateOptions = ['nobody', 'some', 'default'] as const

/** Whom it may give work to, where it has the tool for it. */
export function DelegateChoice({ delegates, allowed, others, problem, onChange }: DelegateChoiceProps) {
  const problemId = useId()
  const offered = [
    ...others.map(({ name }) => name),
    ...allowed.filter((name) => !others.some((one) => includesName([one.name], name))),
  ]
  return (
    <fieldset className="agent-choice" tabIndex={-1} aria-describedby={problemId}>
      <legend>{t.agents.delegatesTo}</legend>
      <Segments
        label={t.agents.whom}
        options={delegateOptions.map((value) => ({ value, label: t.agents.whomChoices[value] }))}
        value={delegates}
        onChange={(value) => onChange({ delegates: value, allowed: [...allowed] })}
      />
      {delegates === 'some' && (
        <div className="agent-checks">
          {offered.map((name) => (
            <label key={name} className="settings-check-line">
              <input
                type="checkbox"
                checked={includesName(allowed, name)}
                onChange={(event) => onChange({ allowed: withName(allowed, name, event.target.checked) })}
              />
              {name}
            </label>
          ))}
        </div>
      )}
      {delegates !== 'nobody' && <p className="agent-hint">{t.agents.needsTask}</p>}
      <p id={problemId} className="settings-failure">
        {problem}
      </p>
    </fieldset>
  )
}
