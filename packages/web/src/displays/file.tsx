import { numberIn, splitLines, textIn } from '../api/read-fields.ts'
import { PreviewButton } from '../content/preview-button.tsx'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { DisplayPanel, PathName, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import { languageForPath } from './parts/language-of.ts'

const linesAtFirst = 40

/** File or part of one: `path`, `text`, `from` (first line), `lines` (total), `more`. */
export default function FileDisplay({ content, live }: DisplayProps) {
  const text = textIn(content['text'])
  const lines = text === undefined || text === '' ? [] : splitLines(text)
  const { shown, left, grow } = useShowMore(lines.length, linesAtFirst)
  if (text === undefined) return <ValueView value={content} />

  const path = textIn(content['path']) ?? t.displays.file
  const from = numberIn(content['from']) ?? 1
  const all = Math.max(lines.length, numberIn(content['lines']) ?? 0)
  // The line count may include an empty last line.
  const isWhole = all <= text.split('\n').length
  const language = languageForPath(path)
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
            ? t.displays.lines(isWhole ? lines.length : all)
            : t.displays.linesFromTo(from, from + all - 1)
      }
      copy={{ text, label: t.displays.copyText }}
      foot={footOf(lines.length, all, isWhole, content['more'] === true)}
    >
      {lines.length > 0 && (
        <table className="code-lines">
          <tbody>
            {lines.slice(0, shown).map((line, index) => (
              <tr key={index}>
                <td className="code-number">{from + index}</td>
                <td className="code-text">
                  <VisibleText text={line} as="exact" />
                </td>
              </tr>
            ))}
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

function footOf(kept: number, all: number, isWhole: boolean, more: boolean): string | undefined {
  const said = [!isWhole && t.displays.firstLines(kept, all), more && t.displays.continues].filter(
    (one) => one !== false,
  )
  return said.length === 0 ? undefined : said.join(' ')
}
