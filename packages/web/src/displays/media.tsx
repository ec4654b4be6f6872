import { pageAccess } from '../api/page-access.ts'
import { isRecord, textIn } from '../api/read-fields.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import './media.css'
import type { DisplayProps } from './parts/display-registry.ts'

export const opens = true

/** Generated images and videos: `prompt`, `files` with `sha256` and `mediaType`. */
export default function MediaDisplay({ content }: DisplayProps) {
  const prompt = textIn(content['prompt']) ?? ''
  const files = Array.isArray(content['files']) ? content['files'].filter(isRecord) : []
  return (
    <div className="media">
      {files.map((file, index) => {
        // Loads only blobs from our own store.
        const sha256 = textIn(file['sha256']) ?? ''
        const mediaType = textIn(file['mediaType']) ?? ''
        if (!/^[0-9a-f]{64}$/.test(sha256)) return null
        const source = pageAccess.link(`/ai/blobs/${sha256}`)
        const extension = mediaType.split('/')[1] ?? 'bin'
        return (
          <figure key={sha256 + String(index)} className="media-file">
            {mediaType.startsWith('video/') ? (
              // Generated videos have no captions. The label is their prompt.
              // oxlint-disable-next-line jsx-a11y/media-has-caption
              <video src={source} controls preload="metadata" aria-label={prompt} />
            ) : (
              <a href={source} target="_blank" rel="noopener noreferrer">
                <img src={source} alt={prompt} loading="lazy" decoding="async" />
              </a>
            )}
            <figcaption>
              <a href={source} download={`${sha256.slice(0, 8)}.${extension}`}>
                {t.displays.download}
              </a>
            </figcaption>
          </figure>
        )
      })}
    </div>
  )
}
