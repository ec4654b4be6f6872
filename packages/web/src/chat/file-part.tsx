import { Paperclip } from 'lucide-react'
import { isOwnImage } from '../markdown/marked-options.ts'

/** A file inside a message. Only bytes that are here already are shown; anything else is a link. */
export function FilePart({ url, mediaType, name }: { url: string; mediaType: string; name: string | undefined }) {
  const label = name ?? mediaType
  if (isOwnImage(url) && mediaType.startsWith('image/')) return <img className="file-image" src={url} alt={label} />
  if (!/^https?:\/\//i.test(url) && !url.startsWith('/ai/blobs/')) return <span className="source">{label}</span>
  return (
    <a className="source" href={url} target="_blank" rel="noopener noreferrer nofollow">
      <Paperclip aria-hidden />
      {label}
    </a>
  )
}
