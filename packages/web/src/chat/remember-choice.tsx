import { useId } from 'react'
import { VisibleText } from '../ui/visible-text.tsx'

export type Scope = 'once' | 'session' | 'project' | 'always'

const scopes: Record<Scope, string> = {
  once: 'only this once',
  session: 'in this session',
  project: 'in this project',
  always: 'always',
}

export interface RememberChoiceProps {
  /** The rules that would stop the asking. */
  rules: readonly string[]
  scope: Scope
  disabled: boolean
  onChange: (scope: Scope) => void
}

/** How long a yes holds, and for what: the very rules that would be kept. */
export function RememberChoice({ rules, scope, disabled, onChange }: RememberChoiceProps) {
  const id = useId()
  return (
    <p className="approval-remember">
      <label htmlFor={id}>Allow</label>
      <select
        id={id}
        value={scope}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value as Scope)}
        aria-describedby={`${id}-rules`}
      >
        {Object.entries(scopes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <span id={`${id}-rules`} className={scope === 'once' ? 'approval-rules approval-rules-idle' : 'approval-rules'}>
        {introduction(scope, rules.length)}{' '}
        {rules.map((rule) => (
          <code key={rule}>
            <VisibleText text={rule} as="exact" />
          </code>
        ))}
      </span>
    </p>
  )
}

function introduction(scope: Scope, count: number): string {
  if (scope === 'once') return count === 1 ? 'A rule that would stop asking:' : 'Rules that would stop asking:'
  return count === 1 ? 'Kept as a rule:' : 'Kept as rules:'
}
