import type { ReactNode } from 'react'
import { t } from '../../texts/t.ts'
import { CopyButton } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { Avatar } from './avatar.tsx'
import './parts.css'

/** A row of a list: a person or thing, facts about it, and what can be done with it. */
export function Row(props: {
  name: string
  /** After the name, such as "you". */
  note?: string | false
  facts?: ReactNode
  isPerson?: boolean
  children?: ReactNode
}) {
  const { name, note = false, facts, isPerson = false, children } = props
  return (
    <li className="team-row">
      {isPerson && <Avatar name={name} />}
      <div className="team-row-text">
        <p dir="auto">
          <VisibleText text={name} as="name" />
          {note !== false && ` (${note})`}
        </p>
        {facts !== undefined && <p className="team-facts">{facts}</p>}
      </div>
      {children !== undefined && <div className="team-row-actions">{children}</div>}
    </li>
  )
}

interface SelectProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  disabled?: boolean
  /** Shows the label above. Otherwise it is only read out. */
  isLabeled?: boolean
  onChange: (value: Value) => void
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, disabled, isLabeled = false, onChange } = props
  const select = (
    <select
      className={isLabeled ? undefined : 'team-select'}
      aria-label={isLabeled ? undefined : label}
      value={value}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value as Value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
  if (!isLabeled) return select
  return (
    <label>
      {label}
      {select}
    </label>
  )
}

/** A link or token that the server shows once. */
export function OnceShown(props: { about: string; label: string; text: string; copy: string }) {
  const { about, label, text, copy } = props
  return (
    <div className="team-once" aria-live="polite">
      <p>{about}</p>
      <div className="team-once-line">
        <input aria-label={label} readOnly value={text} onFocus={({ target }) => target.select()} />
        <CopyButton text={text} label={copy} />
      </div>
    </div>
  )
}

/** Joins facts about something, without the missing ones. */
export function joinFacts(...facts: (string | null | false | undefined)[]): string {
  return facts.filter((fact) => typeof fact === 'string' && fact !== '').join(' · ')
}

export const roleOptions = (roles: readonly (keyof typeof t.team.roles)[]) =>
  roles.map((value) => ({ value, label: t.team.roles[value] }))
