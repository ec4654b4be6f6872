import { memo, useLayoutEffect, useMemo, useRef } from 'react'
import { dressProse } from './dress-prose.ts'
import { sanitise } from './sanitise.ts'

/** The one place where markup of others enters the page. */
export const SafeHtml = memo(function SafeHtml({ html }: { html: string }) {
  const markup = useMemo(() => ({ __html: sanitise(html) as string }), [html])
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (ref.current !== null) dressProse(ref.current)
  }, [markup])
  return <div ref={ref} className="prose-block" dangerouslySetInnerHTML={markup} />
})
