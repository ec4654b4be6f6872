import { memo, useLayoutEffect, useRef } from 'react'
import { decorateProse } from './dress-prose.ts'
import { sanitizeHtml } from './sanitise.ts'

/** The one place where markup of others enters the page. */
export const SafeHtml = memo(function SafeHtml({ html }: { html: string }) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (ref.current === null) return
    ref.current.replaceChildren(sanitizeHtml(html))
    decorateProse(ref.current)
  }, [html])
  return <div ref={ref} className="prose-block" />
})
