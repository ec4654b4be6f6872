import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { toErrorInfo } from '../api/request.ts'
import type { ContextInfo, ContextPiece, PieceKind } from '../api/session-types.ts'
import { formatCost, formatCount, formatPercent } from '../texts/format.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { formatElements, Moment, VisibleText } from '../ui/elements.tsx'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './context-dialog.css'
import { ContextPieces } from './context-pieces.tsx'

export function ContextDialog() {
  const workspace = useWorkspace()
  const sessionId = useApp((state) => state.sessionId)
  const session = useMemo(() => workspace.session(sessionId), [workspace, sessionId])
  const messages = useStore(session, (state) => state.messages)
  const isRunning = useStore(session, (state) => state.run !== null)
  const unsentId = useStore(session, (state) => state.unsent?.messageId)
  const leaf = messages.findLast(({ id }) => id !== unsentId)?.id
  const { info, failure } = useContextInfo(sessionId, leaf)
  const dialog = useRef<HTMLDialogElement>(null)

  return (
    <Dialog ref={dialog} title={t.context.title} className="context" onClose={() => workspace.app.setDialog(null)}>
      <p className="context-note">{t.context.about}</p>
      {failure !== null && (
        <p className="context-failure" role="alert">
          {failure}
        </p>
      )}
      {isRunning && <p className="context-note">{t.context.running}</p>}
      {info === null && failure === null && <p className="context-note">{t.ui.loading}</p>}
      {info !== null && (
        <>
          <ContextWindow info={info} />
          <CacheNote info={info} />
          <ContextPieces
            pieces={info.pieces}
            messages={messages}
            onGoTo={(messageId) => {
              dialog.current?.close()
              void session.goTo(messageId, { inSight: true })
            }}
          />
        </>
      )}
      <div className="dialog-buttons">
        <Button kind="primary" onClick={() => dialog.current?.close()}>
          {t.ui.done}
        </Button>
      </div>
    </Dialog>
  )
}

/** Loads the context of a branch and reloads as the branch grows. Keeps the old data visible meanwhile. */
function useContextInfo(sessionId: string, leaf: string | undefined) {
  const { api } = useWorkspace()
  const [read, setRead] = useState<{ info: ContextInfo | null; failure: string | null }>({ info: null, failure: null })
  useEffect(() => {
    let isLate = false
    api.context(sessionId, leaf).then(
      (info) => {
        if (!isLate) setRead({ info, failure: null })
      },
      (error: unknown) => {
        if (!isLate) setRead(({ info }) => ({ info, failure: toErrorInfo(error).message }))
      },
    )
    return () => void (isLate = true)
  }, [api, sessionId, leaf])
  return read
}

function CacheNote({ info }: { info: ContextInfo }) {
  const { lastCallAt, inputTokens, cachedInputTokens = 0 } = info.cache
  const outlook = cacheOutlook(info)
  const changed = info.pieces.filter((piece) => piece.changed === true)
  return (
    <section className="cache" aria-label={t.context.sinceLast} data-state={outlook.state}>
      {outlook.state === 'same' ? (
        <CircleCheck aria-hidden />
      ) : outlook.state === 'no-call' ? (
        <CircleDashed aria-hidden />
      ) : (
        <CircleAlert aria-hidden />
      )}
      <div>
        <p>
          <strong>{headline(outlook)}</strong> <Detail outlook={outlook} total={info.total.tokens} />
        </p>
        {changed.length > 0 && (
          <p>
            {t.context.changedPieces}{' '}
            {changed.map(({ name }, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <VisibleText text={name} as="name" />
              </span>
            ))}
            .
          </p>
        )}
        {inputTokens !== undefined && (
          <p>
            {t.context.lastRead(
              formatCount(inputTokens),
              formatCount(cachedInputTokens),
              formatPercent(cachedInputTokens, inputTokens),
            )}
          </p>
        )}
        {lastCallAt !== null && (
          <p className="cache-time">{formatElements(t.context.lastCall, { time: <Moment time={lastCallAt} /> })}</p>
        )}
      </div>
    </section>
  )
}

function headline(outlook: CacheOutlook): string {
  return t.context.outlooks[outlook.state]
}

function Detail({ outlook, total }: { outlook: CacheOutlook; total: number }) {
  if (outlook.state === 'no-call') return null
  if (outlook.state === 'same') return t.context.startUnchanged
  if (outlook.state === 'other-model') return t.context.otherModelCache
  const by = (
    <code>
      <VisibleText text={outlook.by === 'tools' ? t.context.listOfTools : outlook.by} as="name" />
    </code>
  )
  const rest =
    outlook.kept === 0 ? t.context.nothingCached : t.context.partlyCached(formatCount(outlook.kept), formatCount(total))
  return formatElements(t.context.differs, { by, rest })
}

/** Prediction if the next call shares a cached prefix with the latest one. */
type CacheOutlook =
  | { state: 'no-call' }
  | { state: 'same' }
  | { state: 'other-model' }
  /** `kept` is the estimated number of tokens before the first difference. */
  | { state: 'broken'; by: string; kept: number }

export function cacheOutlook({ cache, pieces }: ContextInfo): CacheOutlook {
  if (cache.lastCallAt === null) return { state: 'no-call' }
  if (cache.modelChanged) return { state: 'other-model' }
  if (cache.brokenBy === null) return { state: 'same' }
  if (cache.brokenBy === 'tools') return { state: 'broken', by: 'tools', kept: 0 }
  const at = pieces.findIndex(({ kind, name }) => kind === 'instructions' && name === cache.brokenBy)
  const kept = pieces.slice(0, Math.max(at, 0)).reduce((sum, { tokens }) => sum + tokens, 0)
  return { state: 'broken', by: cache.brokenBy, kept }
}

function ContextWindow({ info }: { info: ContextInfo }) {
  const { model, window, total, pieces } = info
  const kinds = sumByKind(pieces)
  const whole = Math.max(window ?? 0, total.tokens)
  const isOver = window !== null && total.tokens > window
  return (
    <section className="window" aria-label={t.context.window}>
      <p className="window-sum">
        <strong>
          {window === null
            ? t.context.tokens(formatCount(total.tokens))
            : t.context.tokensOf(formatCount(total.tokens), formatCount(window))}
        </strong>
        <span>
          {window !== null && `${formatPercent(total.tokens, window)} · `}
          {total.cost !== undefined && `${formatCost(total.cost)} · `}
          {model}
        </span>
      </p>
      <div className="window-bar" aria-hidden>
        {kinds.map(({ kind, tokens }) => (
          <span key={kind} data-kind={kind} style={{ width: `${(100 * tokens) / whole}%` }} />
        ))}
      </div>
      <ul className="window-kinds">
        {kinds.map(({ kind, label, count, tokens }) => (
          <li key={kind}>
            <i data-kind={kind} aria-hidden />
            <span>
              {label}
              {kind !== 'summary' && ` (${count})`}
            </span>
            <b>{formatCount(tokens)}</b>
            <span>{formatPercent(tokens, whole)}</span>
          </li>
        ))}
        {window !== null && !isOver && (
          <li>
            <i aria-hidden />
            <span>{t.context.free}</span>
            <b>{formatCount(window - total.tokens)}</b>
            <span>{formatPercent(window - total.tokens, window)}</span>
          </li>
        )}
      </ul>
      {window === null && <p className="context-note">{t.context.windowUnknown}</p>}
      {isOver && <p className="context-failure">{t.context.tooMuch}</p>}
    </section>
  )
}

interface KindSum {
  kind: PieceKind
  label: string
  count: number
  tokens: number
}

const kinds: readonly PieceKind[] = ['tool', 'instructions', 'summary', 'message']

export function sumByKind(pieces: readonly ContextPiece[]): KindSum[] {
  return kinds.flatMap((kind) => {
    const own = pieces.filter((piece) => piece.kind === kind)
    if (own.length === 0) return []
    return {
      kind,
      label: t.context.kinds[kind],
      count: own.length,
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    }
  })
}
