import { pageAccess } from '../../api/page-access.ts'
import { recordsIn, textIn } from '../../api/read-fields.ts'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import './page-pictures.css'

/** Rendered pages of a document: `title`, `sha256` and `mediaType` of each. */
export function PagePictures({ pages }: { pages: unknown }) {
  const pictures = recordsIn(pages).slice(0, mostPictures).flatMap(readPicture)
  if (pictures.length === 0) return null
  return (
    <ul className="page-pictures" aria-label={t.displays.pages}>
      {pictures.map(({ title, source }) => (
        <li key={source}>
          <a href={source} target="_blank" rel="noopener noreferrer">
            <img src={source} alt={title} loading="lazy" decoding="async" />
          </a>
          <span aria-hidden>{title}</span>
        </li>
      ))}
    </ul>
  )
}

const mostPictures = 50

/** Only blobs of our own store are loaded, never other URLs that a tool names. */
function readPicture(page: Record<string, unknown>): { title: string; source: string }[] {
  const sha256 = textIn(page['sha256'])
  const isPicture = /^image\/(?:png|jpeg|webp)$/.test(textIn(page['mediaType']) ?? '')
  if (sha256 === undefined || !isPicture || !/^[0-9a-f]{64}$/.test(sha256)) return []
  return [{ title: textIn(page['title']) ?? '', source: pageAccess.link(`/ai/blobs/${sha256}`) }]
}
