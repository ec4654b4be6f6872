import { Paperclip } from 'lucide-react'
import { type MouseEvent, use } from 'react'
import { pageAccess } from '../../api/page-access.ts'
import { viewerOf } from '../../api/viewer-kind.ts'
import { isOwnImage } from '../../markdown/marked-options.ts'
import { t } from '../../texts/t.ts'
import { enlargeImage } from '../../ui/elements.tsx'
import { SessionContext } from '../session/session-context.ts'

/** Renders a file in a message. Shows only inline data; anything else becomes a link. */
export function FilePart({ url, mediaType, name }: { url: string; mediaType: string; name: string | undefined }) {
  const label = name ?? mediaType
  const store = use(SessionContext)
  if (isOwnImage(url) && mediaType.startsWith('image/')) {
    return (
      <button
        type="button"
        className="image-button"
        aria-label={t.chat.enlarge(label)}
        onClick={() => enlargeImage({ url: pageAccess.link(url), name: label })}
      >
        <img className="file-image" src={pageAccess.link(url)} alt={label} />
      </button>
    )
  }
  /** Text and files with a viewer open in a panel. Other files and modified clicks go to the browser. */
  const openPanel = (event: MouseEvent) => {
    if (store === null || !isOwnBlob(url) || !(isText(mediaType) || viewerOf(label) !== undefined)) return
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    store.panels.open({ kind: 'file', key: url, title: label, data: { path: label, url } })
  }
  if (!/^https?:\/\//i.test(url) && !url.startsWith('/ai/blobs/')) return <span className="source">{label}</span>
  return (
    <a
      className="source"
      href={isOwnBlob(url) ? pageAccess.link(url) : url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      onClick={openPanel}
    >
      <Paperclip aria-hidden />
      {label}
    </a>
  )
}

function isOwnBlob(url: string): boolean {
  return /^\/ai\/blobs\/[0-9a-f]{64}$/.test(url)
}

function isText(mediaType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|toml|javascript|typescript)$/.test(mediaType)
}
