import { type JsxPage, type JsxProblem, readJsx, readPage, type UiElement } from '@troupe/protocol'
import { lazy, useDeferredValue, useMemo, useState } from 'react'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { UiView } from './ui-view.tsx'

const PageView = lazy(() => import('./page-view.tsx').then(({ PageView }) => ({ default: PageView })))

interface JsxViewProps {
  source: string
  /** True while the source arrives. */
  partial?: boolean
  name?: string
  fills?: boolean
}

type Shown = { root: UiElement; page?: undefined } | { root?: undefined; page: JsxPage }

/** Renders JSX source. While it streams, keeps the last version that could be read. */
export function JsxView({ source, partial = false, name, fills = false }: JsxViewProps) {
  const arrived = useDeferredValue(source)
  const read = useMemo(() => readShown(partial ? arrived : source, partial), [arrived, source, partial])
  const [last, setLast] = useState<Shown>()
  if (read.shown !== undefined && read.shown !== last) setLast(read.shown)
  const shown = read.shown ?? (partial ? last : undefined)
  if (shown?.page !== undefined)
    return <PageView page={shown.page} name={name ?? shown.page.title ?? t.previews.page} fills={fills} />
  if (shown !== undefined) return <UiView root={shown.root} />
  if (partial) return null
  const { problem } = read
  return (
    <p className="preview-note" role="note">
      {t.previews.invalid}{' '}
      {problem !== undefined && (
        <VisibleText text={`${problem.line}:${problem.column} ${translateServerText(problem.message, 'text')}`} />
      )}
    </p>
  )
}

/** Our components alone are part of the chat. Everything else is a page in a frame. */
function readShown(source: string, partial: boolean): { shown?: Shown; problem?: JsxProblem } {
  const { root } = readJsx(source, { partial })
  if (root !== undefined) return { shown: { root } }
  const { page, problem } = readPage(source, { partial })
  if (page === undefined) return { problem }
  return page.nodes.length === 0 ? {} : { shown: { page } }
}
