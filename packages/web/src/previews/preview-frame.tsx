import { useEffect, useRef, useState, type Ref } from 'react'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { linkFrame, type FrameLink, type Show } from './link-frame.ts'
import './preview-frame.css'

export interface PreviewFrameProps {
  title: string
  /** Another value shows anew. Keep it the same between renders. */
  show: Show
  /** The lowest and highest that the frame becomes by what it holds; without it fills its place. */
  heights?: [least: number, most: number]
  link?: Ref<FrameLink>
}

/**
 * The one place for markup of others that acts: a page of its own at `/preview.html`, without our origin, cookies or any
 * network. Never give it `allow-same-origin`.
 */
export function PreviewFrame({ title, show, heights, link }: PreviewFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [state, setState] = useState<{ height?: number; blocked: number; error?: string }>({ blocked: 0 })
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    setState({ blocked: 0 })
    const linked = linkFrame(element, show, (message) => {
      if (message.type === 'height') setState((now) => ({ ...now, height: message.height }))
      if (message.type === 'blocked') setState((now) => ({ ...now, blocked: message.count }))
      if (message.type === 'error') setState((now) => ({ ...now, error: message.text }))
    })
    // Set only now, so that its first word finds somebody who listens.
    element.src = '/preview.html'
    give(link, linked)
    return () => {
      give(link, null)
      linked.close()
    }
  }, [show, link])
  const height =
    heights === undefined ? undefined : Math.min(heights[1], Math.max(heights[0], Math.ceil(state.height ?? 0)))
  return (
    <div className={`preview-frame preview-frame-${show.kind}`}>
      <iframe ref={frame} title={title} sandbox="allow-scripts" referrerPolicy="no-referrer" style={{ height }} />
      {state.error !== undefined && (
        <output className="preview-note">
          {t.previews.failed} <VisibleText text={state.error} />
        </output>
      )}
      {state.blocked > 0 && <p className="preview-note">{t.previews.blocked(state.blocked)}</p>}
    </div>
  )
}

function give(ref: Ref<FrameLink> | undefined, link: FrameLink | null): void {
  if (typeof ref === 'function') ref(link)
  else if (ref != null) ref.current = link
}
