import { useState } from 'react'
import { pageAccess } from '../api/page-access.ts'
import { numberIn, textIn } from '../api/read-fields.ts'
import { formatSize } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './image.css'
import { DisplayPanel, PathName } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'

export const opens = true

/** Image or other file that a browser can show: `path`, `mediaType`, `size`, `sha256` of its blob. */
export default function ImageDisplay({ content }: DisplayProps) {
  const [failed, setFailed] = useState(false)
  const path = textIn(content['path']) ?? t.displays.image
  const mediaType = textIn(content['mediaType']) ?? ''
  const size = numberIn(content['size'])
  // Loads only blobs from our own store, never other URLs that a tool names.
  const sha256 = textIn(content['sha256'])
  const source =
    sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? pageAccess.link(`/ai/blobs/${sha256}`) : undefined
  const steps = Array.isArray(content['steps']) ? content['steps'].flatMap((step) => textIn(step) ?? []) : []
  const isPicture = /^image\/(?:png|jpeg|gif|webp|avif)$/.test(mediaType)
  return (
    <DisplayPanel
      label={`${isPicture ? t.displays.picture : t.displays.file}: ${path}`}
      head={<PathName path={path} />}
      facts={
        <>
          <span>{mediaType}</span>
          {size !== undefined && size > 0 && <span>{formatSize(size)}</span>}
        </>
      }
      foot={failed && t.displays.fileMissing}
    >
      {steps.length > 0 && (
        <ol className="picture-steps">
          {steps.map((step, index) => (
            <li key={index}>
              <VisibleText text={translateServerText(step, 'text')} />
            </li>
          ))}
        </ol>
      )}
      {source !== undefined && isPicture && !failed && (
        <a className="picture" href={source} target="_blank" rel="noopener noreferrer">
          <img src={source} alt={path} loading="lazy" decoding="async" onError={() => setFailed(true)} />
        </a>
      )}
      {source !== undefined && !isPicture && (
        <p className="panel-empty">
          <a href={source} target="_blank" rel="noopener noreferrer">
            {t.displays.openFile}
          </a>
        </p>
      )}
    </DisplayPanel>
  )
}
