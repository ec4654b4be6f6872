import { File, Folder, Link2, Shapes } from 'lucide-react'
import { numberIn, recordsIn, textIn } from '../api/read-fields.ts'
import { PreviewButton } from '../content/preview-button.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import './list.css'
import { DisplayPanel, PathName, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'

const entriesAtFirst = 24
const deepest = 9

/**
 * Files and folders: `path`, `entries` ({`name` or `path`, `kind`, `depth`, `count`}), `left` (number of omitted
 * entries).
 */
export default function ListDisplay({ content }: DisplayProps) {
  const entries = recordsIn(content['entries'])
  const { shown, left, grow } = useShowMore(entries.length, entriesAtFirst)
  if (!Array.isArray(content['entries'])) return <ValueView value={content} />

  const path = textIn(content['path']) ?? ''
  const beyond = numberIn(content['left']) ?? 0
  const total = entries.length + beyond
  const listed = entries.map((entry) => ({
    name: nameOf(entry),
    depth: depthOf(entry),
    isFolder: entry['kind'] === 'folder',
  }))
  const paths = entryPaths(path, listed)
  return (
    <DisplayPanel
      label={`${path === '' ? t.displays.list : path}: ${t.displays.entries(total)}`}
      head={path === '' ? t.displays.entries(total) : <PathName path={path} />}
      facts={path === '' ? undefined : t.displays.entries(total)}
      copy={{ text: entries.map(nameOf).join('\n'), label: t.displays.copyNames }}
      foot={beyond > 0 && t.displays.notListed(beyond)}
    >
      {entries.length === 0 ? (
        <p className="panel-empty">{t.displays.emptyFolder}</p>
      ) : (
        <ul className="names">
          {entries.slice(0, shown).map((entry, index) => (
            <li key={index} className={`name name-depth-${depthOf(entry)}`}>
              <EntryIcon kind={textIn(entry['kind'])} />
              <PathName path={nameOf(entry)} />
              {numberIn(entry['count']) !== undefined && <span className="name-count">{numberIn(entry['count'])}</span>}
              {entry['kind'] === 'file' && <PreviewButton path={paths[index] ?? ''} />}
            </li>
          ))}
        </ul>
      )}
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.ui.showMore(left)}
        </button>
      )}
    </DisplayPanel>
  )
}

function nameOf(entry: Record<string, unknown>): string {
  return textIn(entry['name']) ?? textIn(entry['path']) ?? ''
}

function depthOf(entry: Record<string, unknown>): number {
  return Math.min(deepest, Math.max(0, Math.trunc(numberIn(entry['depth']) ?? 0)))
}

function EntryIcon({ kind }: { kind: string | undefined }) {
  if (kind === 'folder') return <Folder aria-label={t.displays.folder} />
  if (kind === 'link') return <Link2 aria-label={t.displays.link} />
  if (kind === 'other') return <Shapes aria-label={t.displays.other} />
  return <File aria-hidden />
}

/** List entry: a full path, or a name relative to the last folder of a lower depth. */
interface ListedName {
  name: string
  depth: number
  isFolder: boolean
}

export function entryPaths(folder: string, entries: readonly ListedName[]): string[] {
  const start = folder === '' || folder === '.' ? '' : `${folder.replace(/\/$/, '')}/`
  const above: string[] = []
  return entries.map(({ name, depth, isFolder }) => {
    if (name.includes('/')) return name
    const parents = above.slice(0, depth)
    if (isFolder) above[depth] = name
    above.length = Math.min(above.length, depth + 1)
    return `${start}${[...parents, name].join('/')}`
  })
}
