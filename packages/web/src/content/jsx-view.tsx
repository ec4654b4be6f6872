import { readJsx, type UiElement } from '@troupe/protocol'
import { useMemo, useState } from 'react'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { UiView } from './ui-view.tsx'

/** Renders JSX source. While it streams, keeps the last version that parsed. */
export function JsxView({ source, partial = false }: { source: string; partial?: boolean }) {
  const { root, problem } = useMemo(() => readJsx(source, { partial }), [source, partial])
  const [last, setLast] = useState<UiElement>()
  if (root !== undefined && root !== last) setLast(root)
  const shown = root ?? (partial ? last : undefined)
  if (shown !== undefined) return <UiView root={shown} />
  if (partial) return null
  return (
    <p className="preview-note" role="note">
      {t.previews.invalid}{' '}
      {problem !== undefined && (
        <VisibleText text={`${problem.line}:${problem.column} ${translateServerText(problem.message, 'text')}`} />
      )}
    </p>
  )
}
