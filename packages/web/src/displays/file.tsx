import { startTransition, useMemo } from 'react'
import { numberIn, splitLines, textIn } from '../api/read-fields.ts'
import { Markdown } from '../content/markdown.tsx'
import { PreviewButton } from '../content/preview-button.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { DiffTable } from './parts/diff-table.tsx'
import { DisplayPanel, PathName, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import { extensionOf, languageForPath } from './parts/language-of.ts'
import { PagePictures } from './parts/page-pictures.tsx'
import type { DiffLine } from './parts/parse-diff.ts'

const linesAtFirst = 40
/** Lines that one click adds. */
const moreLines = 400

/** File or part of one: `path`, `text`, `from` (first line), `lines` (total), `more`. */
export default function FileDisplay({ content, live }: DisplayProps) {
  const text = textIn(content['text'])
  const from = numberIn(content['from']) ?? 1
  const rows = useMemo(() => {
    const lines = text === undefined || text === '' ? [] : splitLines(text)
    return lines.map((line, index): DiffLine => ({
      type: 'context',
      before: undefined,
      after: from + index,
      text: line,
    }))
  }, [text, from])
  const { shown, left, grow } = useShowMore(rows.length, linesAtFirst, moreLines)
  if (text === undefined) return <ValueView value={content} />

  const path = textIn(content['path']) ?? t.displays.file
  const all = Math.max(rows.length, numberIn(content['lines']) ?? 0)
  // The line count may include an empty last line.
  const isWhole = all <= text.split('\n').length
  const language = languageForPath(path)
  const isMarkdown = content['isMarkdown'] === true
  return (
    <DisplayPanel
      label={t.displays.fileFrom(path, all, from)}
      head={
        <>
          <PathName path={path} />
          {language !== undefined && <span className="badge">{language}</span>}
          {live !== true && <PreviewButton path={path} />}
        </>
      }
      facts={
        all === 0
          ? t.displays.empty
          : from === 1
            ? t.displays.lines(isWhole ? rows.length : all)
            : t.displays.linesFromTo(from, from + all - 1)
      }
      copy={{ text, label: t.displays.copyText }}
      foot={footOf(rows.length, all, isWhole, content['more'] === true)}
    >
      <PagePictures pages={content['pages']} />
      {isMarkdown && text !== '' && (
        <div className="file-markdown">
          <Markdown text={withoutAnchors(text)} done />
        </div>
      )}
      {!isMarkdown && rows.length > 0 && (
        <DiffTable items={rows} shown={shown} layout="plain" hasNumbers language={extensionOf(path)} />
      )}
      {!isMarkdown && left > 0 && (
        <button type="button" className="panel-more" onClick={() => startTransition(grow)}>
          {t.displays.moreLines(left)}
        </button>
      )}
    </DisplayPanel>
  )
}

/** Numbers of paragraphs are for citing. */
function withoutAnchors(text: string): string {
  return text.replaceAll(/^(#{1,6} )?\[¶ \d+\] ?/gm, '$1')
}

function footOf(kept: number, all: number, isWhole: boolean, more: boolean): string | undefined {
  const said = [!isWhole && t.displays.firstLines(kept, all), more && t.displays.continues].filter(
    (one) => one !== false,
  )
  return said.length === 0 ? undefined : said.join(' ')
}
