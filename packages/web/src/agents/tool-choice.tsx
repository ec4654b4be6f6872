import { X } from 'lucide-react'
import { useId } from 'react'
import type { ToolInfo } from '../api/agent-info.ts'
import { t } from '../texts/t.ts'
import { groupTools, includesName, unknownNames, withName } from './tool-groups.ts'

export interface ToolChoiceProps {
  /** Names of tools and groups. */
  chosen: readonly string[]
  tools: readonly ToolInfo[]
  problem: string | undefined
  onChange: (chosen: string[]) => void
}

/** Which of the tools that exist it may use: whole groups, with what they will hold later, or single tools. */
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
            <fieldset key={group.name} className="tool-group" aria-label={group.name}>
              <label className="settings-check-line">
                <input
                  type="checkbox"
                  checked={includesName(chosen, group.name)}
                  onChange={(event) => onChange(withName(chosen, group.name, event.target.checked))}
                />
                <b>{group.name}</b>
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
