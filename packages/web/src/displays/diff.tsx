import { useMemo, useState } from 'react'
import { numberIn, textIn } from '../api/read-fields.ts'
import { PreviewButton } from '../content/preview-button.tsx'
import { t } from '../texts/t.ts'
import { formatElements, VisibleText } from '../ui/elements.tsx'
import './diff.css'
import { DisplayPanel, PathName, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import { type DiffItem, type DiffLine, foldContext, isLine, parseDiff } from './parts/parse-diff.ts'

export const opens = true

const shownAtFirst = 40
/** Longer diffs show only an excerpt at first. */
const longDiff = 160
const glimpse = 16

/** Changes to one file: `path`, `diff` (unified), `change`, `from`, `added`, `removed`, `cut`. */
export default function DiffDisplay({ content, live }: DisplayProps) {
  const diff = textIn(content['diff'])
  const parsed = useMemo(() => parseDiff(diff ?? ''), [diff])
  const items = useMemo(() => foldContext(parsed.rows), [parsed])
  const [unfolded, setUnfolded] = useState<ReadonlySet<DiffItem>>(new Set())
  const { shown, left, grow } = useShowMore(items.length, items.length > longDiff ? glimpse : shownAtFirst)
  if (diff === undefined) return <ValueView value={content} />

  const path = textIn(content['path']) ?? t.displays.diff
  const change = textIn(content['change'])
  const isCut = content['cut'] === true
  const hasNumbers = parsed.rows.some((row) => isLine(row) && (row.before ?? row.after) !== undefined)
  const added = (isCut ? numberIn(content['added']) : undefined) ?? parsed.added
  const removed = (isCut ? numberIn(content['removed']) : undefined) ?? parsed.removed
  return (
    <DisplayPanel
      label={t.displays.changesIn(path, added, removed)}
      head={
        <>
          <PathName path={path} />
          <ChangeBadge change={change} from={textIn(content['from'])} />
          {change !== 'deleted' && live !== true && <PreviewButton path={path} />}
        </>
      }
      facts={
        added + removed > 0 && (
          <>
            <span className="diff-count-added">+{added}</span>
            <span className="diff-count-removed">−{removed}</span>
          </>
        )
      }
      copy={{ text: patchOf(path, content, diff), label: t.displays.copyDiff }}
      foot={isCut && t.displays.diffCut}
    >
      {items.length === 0 ? (
        <p className="panel-empty">{t.displays.withoutText[change ?? ''] ?? t.displays.sameText}</p>
      ) : (
        <table className={hasNumbers ? 'code-lines diff' : 'code-lines diff diff-unnumbered'}>
          <tbody>
            {items
              .slice(0, shown)
              .flatMap((item, index) =>
                item.type === 'fold' && unfolded.has(item) ? (
                  item.lines.map((line, at) => <LineRow key={`${index}.${at}`} line={line} />)
                ) : (
                  <ItemRow key={index} item={item} onUnfold={() => setUnfolded(new Set([...unfolded, item]))} />
                ),
              )}
          </tbody>
        </table>
      )}
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.displays.moreLines(left)}
        </button>
      )}
    </DisplayPanel>
  )
}

function ItemRow({ item, onUnfold }: { item: DiffItem; onUnfold: () => void }) {
  switch (item.type) {
    case 'fold':
      return (
        <tr className="diff-gap">
          <td colSpan={4}>
            <button type="button" onClick={onUnfold}>
              {t.displays.showUnchanged(item.lines.length)}
            </button>
          </td>
        </tr>
      )
    case 'gap':
      return (
        <tr className="diff-gap">
          <td colSpan={4}>
            {item.count > 0 && <span>{t.displays.unchanged(item.count)}</span>}
            {item.count === 0 && item.heading === '' && <span aria-hidden>⋯</span>}
            {item.heading !== '' && (
              <span className="diff-heading">
                <VisibleText text={item.heading} as="exact" />
              </span>
            )}
          </td>
        </tr>
      )
    case 'file':
      return (
        <tr className="diff-file">
          <td colSpan={4}>
            <PathName path={item.path} />
          </td>
        </tr>
      )
    case 'note':
      return (
        <tr className="diff-note">
          <td colSpan={4}>{item.text}</td>
        </tr>
      )
    default:
      return <LineRow line={item} />
  }
}

const signs = { context: '', added: '+', removed: '−' }

function LineRow({ line }: { line: DiffLine }) {
  const { type, before, after, text, changed } = line
  return (
    <tr className={`diff-${type}`}>
      <td className="code-number diff-before">{before}</td>
      <td className="code-number diff-after">{after}</td>
      <td className="code-sign">{signs[type]}</td>
      <td className="code-text">
        {changed === undefined ? (
          <VisibleText text={text} as="exact" />
        ) : (
          <>
            <VisibleText text={text.slice(0, changed[0])} as="exact" />
            <b className="diff-changed">
              <VisibleText text={text.slice(...changed)} as="exact" />
            </b>
            <VisibleText text={text.slice(changed[1])} as="exact" />
          </>
        )}
      </td>
    </tr>
  )
}

function ChangeBadge({ change, from }: { change: string | undefined; from: string | undefined }) {
  const word = t.displays.changes[change ?? '']
  if (word === undefined) return null
  return (
    <>
      <span className="badge">{word}</span>
      {from !== undefined && (
        <span className="diff-from">{formatElements(t.displays.from, { path: <PathName path={from} /> })}</span>
      )}
    </>
  )
}

/** Returns a patch that `git apply` accepts, if the diff has hunks. */
function patchOf(path: string, content: DisplayProps['content'], diff: string): string {
  if (!diff.startsWith('@@ ')) return diff
  const before = content['change'] === 'created' ? '/dev/null' : `a/${textIn(content['from']) ?? path}`
  const after = content['change'] === 'deleted' ? '/dev/null' : `b/${path}`
  return `--- ${before}\n+++ ${after}\n${diff}${diff.endsWith('\n') ? '' : '\n'}`
}
