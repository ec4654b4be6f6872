import { X, ZoomIn, ZoomOut } from 'lucide-react'
import { useRef, useState } from 'react'
import { t } from '../texts/t.ts'
import { IconButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { type EnlargedImage, enlargeImage } from './elements.tsx'
import './image-viewer.css'

const steps = [0.25, 0.5, 1, 2, 4, 8] as const

export function ImageViewer({ image: { url, name } }: { image: EnlargedImage }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const picture = useRef<HTMLImageElement>(null)
  /** In pixels. Null fits the window. */
  const [width, setWidth] = useState<number | null>(null)
  const zoom = (by: 1 | -1) => {
    const { width: shown = 1, naturalWidth = 1 } = picture.current ?? {}
    const now = shown / naturalWidth
    const next = by > 0 ? steps.find((step) => step > now * 1.05) : steps.findLast((step) => step < now * 0.95)
    setWidth((next ?? now) * naturalWidth)
  }
  return (
    <Dialog
      ref={dialog}
      className="image-viewer"
      title={name === '' ? t.chat.image : name}
      onClose={() => enlargeImage(null)}
    >
      <div className="image-viewer-buttons">
        <IconButton label={t.chat.zoomOut} onClick={() => zoom(-1)}>
          <ZoomOut />
        </IconButton>
        <IconButton label={t.chat.zoomIn} onClick={() => zoom(1)}>
          <ZoomIn />
        </IconButton>
        <IconButton label={t.ui.close} onClick={() => dialog.current?.close()}>
          <X />
        </IconButton>
      </div>
      <section className="image-viewer-room" tabIndex={0} aria-label={name === '' ? t.chat.image : name}>
        <img
          ref={picture}
          src={url}
          alt={name}
          className={width === null ? 'image-fits' : undefined}
          style={width === null ? undefined : { width, maxWidth: 'none' }}
        />
      </section>
    </Dialog>
  )
}
