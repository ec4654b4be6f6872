import { memo, useLayoutEffect, useRef } from 'react'
import { dressProse } from './dress-prose.ts'
import { sanitise } from './sanitise.ts'

/** The one place where markup of others enters the page. */
export const SafeHtml = memo(function SafeHtml({ html }: { html: string }) {
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (ref.current === null) return
    ref.current.replaceChildren(sanitise(html))
    dressProse(ref.current)
  }, [html])
  return <div ref={ref} className="prose-block" />
})
