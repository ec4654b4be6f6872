import { isInteractive, type JsxPage, type JsxProblem, readJsx, readPage, type UiElement } from '@troupe/protocol'
import { Play, Square } from 'lucide-react'
import { lazy, type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { UiView } from './ui-view.tsx'

const AppView = lazy(() => import('./page-view.tsx').then(({ AppView }) => ({ default: AppView })))
const PageView = lazy(() => import('./page-view.tsx').then(({ PageView }) => ({ default: PageView })))

interface JsxViewProps {
  source: string
  /** True while the source arrives. */
  partial?: boolean
  name?: string
  fills?: boolean
  /** Runs an interactive page at once, because the user opened it. */
  runs?: boolean
  /** More buttons in the row of the run button. */
  actions?: ReactNode
}

type Shown = { root: UiElement; page?: undefined } | { root?: undefined; page: JsxPage }

/**
 * Renders JSX source. While it streams, keeps the last version that could be read. An interactive page is a still
 * picture until the user runs it.
 */
export function JsxView({ source, partial = false, name, fills = false, runs = false, actions }: JsxViewProps) {
  const arrived = useDeferredValue(source)
  const read = useMemo(() => readShown(partial ? arrived : source, partial), [arrived, source, partial])
  const [last, setLast] = useState<Shown>()
  const [isRunning, setIsRunning] = useState(runs)
  if (read.shown !== undefined && read.shown !== last) setLast(read.shown)
  const shown = read.shown ?? (partial ? last : undefined)
  const canRun = !partial && shown?.root === undefined && isInteractive(source)
  const title = name ?? shown?.page?.title ?? t.previews.page
  return (
    <>
      {canRun && isRunning ? (
        <AppView source={source} page={shown?.page} name={title} fills={fills} />
      ) : shown?.page !== undefined ? (
        <PageView page={shown.page} name={title} fills={fills} />
      ) : shown !== undefined ? (
        <UiView root={shown.root} />
      ) : canRun ? (
        <p className="preview-note">{t.previews.noPicture}</p>
      ) : (
        !partial && <Problem problem={read.problem} />
      )}
      {((actions ?? false) !== false || (canRun && !runs)) && (
        <div className="preview-actions">
          {canRun && !runs && (
            <Button kind={isRunning ? 'quiet' : 'primary'} onClick={() => setIsRunning(!isRunning)}>
              {isRunning ? <Square aria-hidden /> : <Play aria-hidden />}
              {isRunning ? t.previews.stop : t.previews.run}
            </Button>
          )}
          {actions}
        </div>
      )}
    </>
  )
}

function Problem({ problem }: { problem: JsxProblem | undefined }) {
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
