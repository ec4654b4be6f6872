import { X } from 'lucide-react'
import { useId } from 'react'
import type { AgentInfo, ToolInfo } from '../api/session-types.ts'
import { groupTools, includesName, unknownNames, withName } from '../settings/tool-groups.ts'
import { t } from '../texts/t.ts'
import { Segments } from '../ui/segments.tsx'
import type { AgentDraft } from './agent-draft.ts'

interface ToolChoiceProps {
  /** Names of tools and tool groups. */
  chosen: readonly string[]
  tools: readonly ToolInfo[]
  problem: string | undefined
  onChange: (chosen: string[]) => void
}

/** Selects the agent's tools: single tools, or whole groups including tools added to them later. */
export function ToolChoice({ chosen, tools, problem, onChange }: ToolChoiceProps) {
  const groups = groupTools(tools)
  const problemId = useId()
  const hasAll = chosen.includes('*')
  return (
    <fieldset className="agent-choice" tabIndex={-1} aria-describedby={problemId}>
      <legend>{t.agents.tools}</legend>
      <label className="settings-check-line agent-check-all">
        <input
          type="checkbox"
          checked={hasAll}
          onChange={(event) => onChange(withName(chosen, '*', event.target.checked))}
        />
        {t.agents.allTools}
      </label>
      {!hasAll && (
        <div className="settings-columns">
          {groups.map((group) => (
            <fieldset key={group.name} className="tool-group" aria-label={t.toolGroups[group.name] ?? group.name}>
              <label className="settings-check-line">
                <input
                  type="checkbox"
                  checked={includesName(chosen, group.name)}
                  onChange={(event) => onChange(withName(chosen, group.name, event.target.checked))}
                />
                <b title={group.name}>{t.toolGroups[group.name] ?? group.name}</b>
              </label>
              {group.tools.map((tool) => (
                <label key={tool.name} className="settings-check-line" title={tool.description}>
                  <input
                    type="checkbox"
                    disabled={includesName(chosen, group.name)}
                    checked={includesName(chosen, group.name) || includesName(chosen, tool.name)}
                    onChange={(event) => onChange(withName(chosen, tool.name, event.target.checked))}
                  />
                  {tool.name}
                  {tool.status === 'disable' && <span className="badge">{t.agents.off}</span>}
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      )}
      {unknownNames(chosen, groups).map((name) => (
        <button
          key={name}
          type="button"
          className="agent-other"
          aria-label={t.agents.removeTool(name)}
          onClick={() => onChange(withName(chosen, name, false))}
        >
          {name}
          <X aria-hidden />
        </button>
      ))}
      <p id={problemId} className="settings-failure">
        {problem}
      </p>
    </fieldset>
  )
}

interface DelegateChoiceProps {
  delegates: AgentDraft['delegates']
  allowed: readonly string[]
  others: readonly AgentInfo[]
  problem: string | undefined
  onChange: (change: Partial<AgentDraft>) => void
}

const delegateOptions = ['nobody', 'some', 'default'] as const

/** Selects the agents that this agent can delegate to. Requires the delegation tool. */
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
        label={t.agents.delegates}
        options={delegateOptions.map((value) => ({ value, label: t.agents.delegateChoices[value] }))}
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
