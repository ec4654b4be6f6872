import { Columns2, FileText, Rows2 } from 'lucide-react'
import { startTransition } from 'react'
import { numberIn, textIn } from '../api/read-fields.ts'
import { PreviewButton } from '../content/preview-button.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { formatElements, VisibleText } from '../ui/elements.tsx'
import './diff.css'
import { DiffTable } from './parts/diff-table.tsx'
import { DisplayPanel, PathName, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import { extensionOf } from './parts/language-of.ts'
import { PagePictures } from './parts/page-pictures.tsx'
import { useDiff, useDiffLayout, useFitsTwoColumns } from './parts/use-diff.ts'

export const opens = true

const shownAtFirst = 40
/** Longer diffs show only an excerpt at first. */
const longDiff = 160
const glimpse = 16
/** Rows that one click adds. */
const moreRows = 400

/** Changes to one file: `path`, `diff` (unified), `change`, `from`, `added`, `removed`, `cut`. */
export default function DiffDisplay({ content, live = false }: DisplayProps) {
  const diff = useDiff(content, live)
  const { items } = diff
  const [layout, setLayout] = useDiffLayout()
  const [watch, fits] = useFitsTwoColumns()
  const { shown, left, grow } = useShowMore(diff.total, diff.total > longDiff ? glimpse : shownAtFirst, moreRows)
  const text = textIn(content['diff'])
  if (text === undefined) return <ValueView value={content} />

  const path = textIn(content['path']) ?? t.displays.diff
  const change = textIn(content['change'])
  const isCut = content['cut'] === true
  const added = (isCut ? numberIn(content['added']) : undefined) ?? diff.added
  const removed = (isCut ? numberIn(content['removed']) : undefined) ?? diff.removed
  const foot = [diff.problem, isCut ? t.displays.diffCut : undefined].filter((one) => one !== undefined)
  return (
    <DisplayPanel
      ref={watch}
      label={t.displays.changesIn(path, added, removed)}
      head={
        <>
          <PathName path={path} />
          <ChangeBadge change={change} from={textIn(content['from'])} />
          {change !== 'deleted' && !live && <PreviewButton path={path} />}
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
      actions={
        items.length > 0 && (
          <>
            {diff.canShowWhole && (
              <IconButton label={t.displays.showWholeFile} onClick={diff.showWhole}>
                <FileText />
              </IconButton>
            )}
            {fits && (
              <IconButton
                label={layout === 'split' ? t.displays.unified : t.displays.sideBySide}
                onClick={() => startTransition(() => setLayout(layout === 'split' ? 'unified' : 'split'))}
              >
                {layout === 'split' ? <Rows2 /> : <Columns2 />}
              </IconButton>
            )}
          </>
        )
      }
      copy={{ text: patchOf(path, content, text), label: t.displays.copyDiff }}
      foot={
        foot.length > 0 && (
          <output>
            <VisibleText text={foot.join(' ')} />
          </output>
        )
      }
    >
      {items.length === 0 ? (
        <p className="panel-empty">{t.displays.withoutText[change ?? ''] ?? t.displays.sameText}</p>
      ) : (
        <DiffTable
          items={items}
          shown={diff.itemsOf(shown)}
          layout={fits ? layout : 'unified'}
          hasNumbers={diff.hasNumbers}
          language={extensionOf(path)}
          change={change}
          onOpen={diff.canFill ? diff.open : undefined}
          onUnfold={diff.open}
        />
      )}
      {left > 0 && (
        <button type="button" className="panel-more" onClick={() => startTransition(grow)}>
          {t.displays.moreLines(left)}
        </button>
      )}
      <PagePictures pages={content['pages']} />
    </DisplayPanel>
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
