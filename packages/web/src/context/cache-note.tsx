import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react'
import type { ContextInfo } from '../api/context-info.ts'
import { formatElements } from '../texts/sentence.tsx'
import { t } from '../texts/t.ts'
import { formatCount, formatPercent } from '../ui/format.ts'
import { Moment } from '../ui/moment.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { cacheOutlook } from './cache-outlook.ts'
import type { CacheOutlook } from './cache-outlook.ts'

/** What changed since the newest call, and how much of it its provider need not read anew. */
export function CacheNote({ info }: { info: ContextInfo }) {
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
  if (outlook.state === 'same') return t.context.canBeUsed
  if (outlook.state === 'other-model') return t.context.ofNoUse
  const by = (
    <code>
      <VisibleText text={outlook.by === 'tools' ? t.context.listOfTools : outlook.by} as="name" />
    </code>
  )
  const rest =
    outlook.kept === 0 ? t.context.allAnew : t.context.restAnew(formatCount(outlook.kept), formatCount(total))
  return formatElements(t.context.differs, { by, rest })
}
