import { File, Folder, Link2, Shapes } from 'lucide-react'
import { ValueView } from '../chat/value-view.tsx'
import { PreviewButton } from '../previews/preview-button.tsx'
import { t } from '../texts/t.ts'
import { entryPaths } from './entry-paths.ts'
import type { DisplayProps } from './parts/display-props.ts'
import { DisplayPanel } from './parts/panel.tsx'
import { PathName } from './parts/path-name.tsx'
import { numberIn, recordsIn, textIn } from './parts/read-fields.ts'
import { useShowMore } from './parts/use-growing.ts'
import './list.css'

const entriesAtFirst = 24
const deepest = 9

/** Files and folders: `path`, `entries` ({`name` or `path`, `kind`, `depth`, `count`}), `left` (how many more there are). */
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
        <p className="panel-empty">{t.displays.nothingInIt}</p>
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
