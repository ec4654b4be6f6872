import { Paperclip } from 'lucide-react'
import { isOwnImage } from '../markdown/marked-options.ts'
import { t } from '../texts/t.ts'
import { enlargeImage } from '../ui/enlarged-image.ts'

/** A file inside a message. Only bytes that are here already are shown; anything else is a link. */
export function FilePart({ url, mediaType, name }: { url: string; mediaType: string; name: string | undefined }) {
  const label = name ?? mediaType
  if (isOwnImage(url) && mediaType.startsWith('image/')) {
    return (
      <button
        type="button"
        className="image-button"
        aria-label={t.chat.enlarge(label)}
        onClick={() => enlargeImage({ url, name: label })}
      >
        <img className="file-image" src={url} alt={label} />
      </button>
    )
  }
  if (!/^https?:\/\//i.test(url) && !url.startsWith('/ai/blobs/')) return <span className="source">{label}</span>
  return (
    <a className="source" href={url} target="_blank" rel="noopener noreferrer nofollow">
      <Paperclip aria-hidden />
      {label}
    </a>
  )
}
