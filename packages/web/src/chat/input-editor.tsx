import { useState } from 'react'
import { isRecord } from '../displays/parts/read-fields.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'

interface InputEditorProps {
  /** The input as JSON text. */
  text: string
  isValid: boolean
  disabled: boolean
  /** The id of what says what is wrong with it. */
  hintId: string
  onChange: (text: string) => void
}

/** The input of a call to be changed: a field for each of its texts, or the whole of it as JSON. */
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
