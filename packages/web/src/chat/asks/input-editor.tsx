import { useState } from 'react'
import { isRecord } from '../../api/read-fields.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { GrowingTextarea } from '../../ui/elements.tsx'

interface InputEditorProps {
  text: string
  isValid: boolean
  disabled: boolean
  hintId: string
  onChange: (text: string) => void
}

export function InputEditor({ text, isValid, disabled, hintId, onChange }: InputEditorProps) {
  const [asJson, setAsJson] = useState(false)
  const input = recordIn(text)
  const fields = Object.entries(input ?? {}).filter(([, value]) => typeof value === 'string') as [string, string][]
  const showsJson = asJson || fields.length === 0
  return (
    <div className="approval-edit">
      {showsJson ? (
        <GrowingTextarea
          className="approval-input"
          aria-label={t.inbox.inputAsJson}
          aria-invalid={!isValid}
          aria-describedby={hintId}
          spellCheck={false}
          value={text}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        fields.map(([name, value]) => (
          <label key={name} className="approval-field">
            <span>{name}</span>
            <GrowingTextarea
              className="approval-input"
              spellCheck={false}
              value={value}
              disabled={disabled}
              onChange={(event) => onChange(JSON.stringify({ ...input, [name]: event.target.value }, null, 2))}
            />
          </label>
        ))
      )}
      {(fields.length > 0 || asJson) && (
        <Button kind="quiet" disabled={disabled || (asJson && fields.length === 0)} onClick={() => setAsJson(!asJson)}>
          {asJson ? t.inbox.asFields : t.inbox.asJson}
        </Button>
      )}
    </div>
  )
}

function recordIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Parsed edit of a call's input. `input` is missing if nothing changed. */
type EditedInput = { ok: true; input?: unknown } | { ok: false; problem: string }

export function readEditedInput(text: string, before: unknown): EditedInput {
  try {
    const input: unknown = JSON.parse(text)
    return JSON.stringify(input) === JSON.stringify(before) ? { ok: true } : { ok: true, input }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}
