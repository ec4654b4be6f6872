import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { type PointerEvent, useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import type { FileSource } from './file-source.ts'

const steps = [0.1, 0.25, 0.5, 1, 2, 4, 8] as const

/** A picture that fits the panel, or in a chosen size that can be dragged and scrolled. */
export function ImageView({ source }: { source: FileSource }) {
  const room = useRef<HTMLElement>(null)
  const picture = useRef<HTMLImageElement>(null)
  /** Null fits the panel. */
  const [width, setWidth] = useState<number | null>(null)
  const [size, setSize] = useState<{ width: number; height: number }>()
  const [isBroken, setBroken] = useState(false)
  const zoom = (by: 1 | -1) => {
    const { width: shown = 1, naturalWidth = 1 } = picture.current ?? {}
    const now = shown / Math.max(1, naturalWidth)
    const next = by > 0 ? steps.find((step) => step > now * 1.05) : steps.findLast((step) => step < now * 0.95)
    setWidth((next ?? now) * naturalWidth)
  }
  const drag = (event: PointerEvent) => {
    if (event.buttons !== 1 || event.pointerType !== 'mouse') return
    room.current?.scrollBy(-event.movementX, -event.movementY)
  }
  if (isBroken) return <p className="side-panel-none">{t.viewers.failed}</p>
  return (
    <>
      <div className="viewer-bar" role="toolbar" aria-label={t.viewers.tools}>
        <IconButton label={t.chat.zoomOut} onClick={() => zoom(-1)}>
          <ZoomOut />
        </IconButton>
        <IconButton label={t.chat.zoomIn} onClick={() => zoom(1)}>
          <ZoomIn />
        </IconButton>
        <IconButton label={t.viewers.fit} aria-pressed={width === null} onClick={() => setWidth(null)}>
          <Maximize />
        </IconButton>
        <span className="viewer-facts">{size === undefined ? t.panels.loading : `${size.width} × ${size.height}`}</span>
      </div>
      <section
        ref={room}
        className={width === null ? 'viewer-room viewer-room-fits' : 'viewer-room viewer-room-drags'}
        tabIndex={0}
        aria-label={source.name}
        onPointerMove={drag}
        onWheel={(event) => {
          if (event.ctrlKey) zoom(event.deltaY < 0 ? 1 : -1)
        }}
      >
        <img
          ref={picture}
          src={source.url}
          alt={source.name}
          draggable={false}
          style={width === null ? undefined : { width, maxWidth: 'none' }}
          onLoad={({ currentTarget }) =>
            setSize({ width: currentTarget.naturalWidth, height: currentTarget.naturalHeight })
          }
          onError={() => setBroken(true)}
        />
      </section>
    </>
  )
}

/** Sound or video with the controls of the browser. */
export function MediaView({ source, kind }: { source: FileSource; kind: 'audio' | 'video' }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken)
    return (
      <div className="side-panel-none">
        <p>{t.viewers.cannotPlay}</p>
        <a className="button button-plain" href={source.download} download={source.name}>
          {t.files.download}
        </a>
      </div>
    )
  const Player = kind
  return (
    <div className="viewer-room viewer-media">
      <Player controls preload="metadata" src={source.url} aria-label={source.name} onError={() => setBroken(true)} />
    </div>
  )
}
