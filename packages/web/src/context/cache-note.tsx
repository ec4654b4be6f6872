import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react'
import type { ContextInfo } from '../api/context-info.ts'
import { formatCount, formatShare } from '../ui/format.ts'
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
    <section className="cache" aria-label="Since the last call" data-state={outlook.state}>
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
            Changed:{' '}
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
            The last answer read {formatCount(inputTokens)} tokens; {formatCount(cachedInputTokens)} of them (
            {formatShare(cachedInputTokens, inputTokens)}) came from the cache.
          </p>
        )}
        {lastCallAt !== null && (
          <p className="cache-time">
            Last call: <Moment time={lastCallAt} />
          </p>
        )}
      </div>
    </section>
  )
}

function headline(outlook: CacheOutlook): string {
  if (outlook.state === 'no-call') return 'No call has been made yet.'
  if (outlook.state === 'same') return 'The next call starts like the last one.'
  if (outlook.state === 'other-model') return 'The next call goes to another model.'
  return 'The cache is broken.'
}

function Detail({ outlook, total }: { outlook: CacheOutlook; total: number }) {
  if (outlook.state === 'no-call') return null
  if (outlook.state === 'same') return 'What the provider keeps of it can be used again.'
  if (outlook.state === 'other-model') return 'What the other one keeps is of no use to it: everything is read anew.'
  return (
    <>
      The next call differs from{' '}
      <code>
        <VisibleText text={outlook.by} as="name" />
      </code>{' '}
      on:{' '}
      {outlook.kept === 0
        ? 'everything is read anew.'
        : `${formatCount(outlook.kept)} of ${formatCount(total)} tokens can come from the cache, the rest is read anew.`}
    </>
  )
}
