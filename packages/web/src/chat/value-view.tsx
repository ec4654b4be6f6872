import { useState } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import './value-view.css'

/** Any value as a person can read it: text as text, an object by its fields, the rest as JSON. */
export function ValueView({ value }: { value: unknown }) {
  if (typeof value === 'string') return <LongText text={value} />
  if (isPlain(value)) {
    return (
      <dl className="value-fields">
        {Object.entries(value).map(([name, field]) => (
          <div key={name} className="value-field">
            <dt>
              <VisibleText text={name} as="name" />
            </dt>
            <dd>
              <LongText text={typeof field === 'string' ? field : toJson(field)} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <LongText text={toJson(value)} />
}

const shownAtFirst = 6000

function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  const cut = !whole && text.length > shownAtFirst
  return (
    <>
      <pre className="value-text" tabIndex={text.length > 400 ? 0 : undefined}>
        <VisibleText text={cut ? text.slice(0, shownAtFirst) : text} as="exact" />
      </pre>
      {cut && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          {t.chat.showAllCharacters(text.length.toLocaleString())}
        </Button>
      )}
    </>
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value)
}
