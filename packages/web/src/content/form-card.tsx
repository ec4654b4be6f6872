import { fieldLabel, fieldName, fieldsIn, readUiTree, type UiElement, type UiTree } from '@troupe/protocol'
import { useMemo, useState } from 'react'
import { isRecord } from '../api/read-fields.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { UiView } from './ui-view.tsx'

/** Renders a `JsonRender` call or its result. `output` is undefined while the input streams. */
export function FormCard({ input, output }: { input: Record<string, unknown>; output: unknown }) {
  const partial = output === undefined
  const root = useMemo(() => rootOf(input['tree'], partial), [input, partial])
  const [last, setLast] = useState<UiElement>()
  if (root !== undefined && root !== last) setLast(root)
  const shown = root ?? last
  if (shown === undefined) return null
  if (!isRecord(output) || output['action'] === undefined) return <UiView root={shown} />
  if (output['action'] === 'cancel') return <p className="tool-remark">{t.previews.cancelled}</p>
  const values = isRecord(output['values']) ? output['values'] : {}
  return (
    <dl className="answers" aria-label={t.previews.submitted}>
      {fieldsIn(shown).map((field) => (
        <div key={fieldName(field)}>
          <dt>
            <VisibleText text={fieldLabel(field)} />
          </dt>
          <dd>
            <VisibleText text={said(field, values[fieldName(field)])} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Input of a call can be anything until the server has checked it. */
export function isUiTree(tree: unknown): tree is UiTree {
  return isRecord(tree) && typeof tree['root'] === 'string' && isRecord(tree['elements'])
}

function rootOf(tree: unknown, partial: boolean): UiElement | undefined {
  if (!isUiTree(tree)) return undefined
  // While streaming, any part of the input may be missing.
  const elements = Object.fromEntries(
    Object.entries(tree['elements']).filter(([, one]) => isRecord(one) && typeof one['type'] === 'string'),
  )
  const read = readUiTree({ root: tree['root'], elements } as unknown as UiTree, { partial })
  return 'problem' in read ? undefined : read.root
}

function said(field: UiElement, value: unknown): string {
  if (typeof value === 'boolean') return value ? t.previews.yes : t.previews.no
  const options = (field.attributes['options'] ?? []) as readonly { value: string; label: string }[]
  const words = (Array.isArray(value) ? value : [value ?? '']).map((one) => {
    const word = String(one)
    return options.find((option) => option.value === word)?.label ?? word
  })
  return words.join(', ')
}
