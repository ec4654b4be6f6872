import { useId } from 'react'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'

export type RememberScope = 'once' | 'session' | 'project' | 'always'

const scopes: readonly RememberScope[] = ['once', 'session', 'project', 'always']

export interface RememberChoiceProps {
  /** The rules that would stop the asking. */
  rules: readonly string[]
  scope: RememberScope
  disabled: boolean
  onChange: (scope: RememberScope) => void
}

/** How long a yes holds, and for what: the very rules that would be kept. */
export function RememberChoice({ rules, scope, disabled, onChange }: RememberChoiceProps) {
  const id = useId()
  return (
    <p className="approval-remember">
      <label htmlFor={id}>{t.inbox.allow}</label>
      <select
        id={id}
        value={scope}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value as RememberScope)}
        aria-describedby={`${id}-rules`}
      >
        {scopes.map((value) => (
          <option key={value} value={value}>
            {t.inbox.scope[value]}
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

function introduction(scope: RememberScope, count: number): string {
  return scope === 'once' ? t.inbox.wouldStop(count) : t.inbox.kept(count)
}
