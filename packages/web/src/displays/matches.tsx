import { numberIn, recordsIn, textIn } from '../api/read-fields.ts'
import { OpenFileInPanel } from '../panels/open-in-panel.tsx'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Group, VisibleText } from '../ui/elements.tsx'
import './matches.css'
import { DisplayPanel, PathName, useShowMore, ValueView } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'

const filesAtFirst = 8
const linesAtFirst = 12

/** Search matches: `pattern`, `files` ({`path`, `lines`: {`number`, `text`, `match`}}), `more`. */
export default function MatchesDisplay({ content }: DisplayProps) {
  const files = recordsIn(content['files'])
  const { shown, left, grow } = useShowMore(files.length, filesAtFirst, 100)
  if (!Array.isArray(content['files'])) return <ValueView value={content} />

  const pattern = textIn(content['pattern']) ?? ''
  const found = files.reduce((sum, file) => sum + recordsIn(file['lines']).filter(isMatch).length, 0)
  const summary = t.displays.matches(found, files.length)
  return (
    <DisplayPanel
      label={summary}
      head={<code className="matches-pattern">{<VisibleText text={pattern} as="exact" />}</code>}
      facts={summary}
      foot={content['more'] === true && t.displays.moreMatches}
    >
      {files.length === 0 && <p className="panel-empty">{t.displays.nothingFound}</p>}
      {files.slice(0, shown).map((file, index) => (
        <FileMatches key={index} file={file} pattern={pattern} />
      ))}
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.displays.moreFiles(left)}
        </button>
      )}
    </DisplayPanel>
  )
}

function FileMatches({ file, pattern }: { file: Record<string, unknown>; pattern: string }) {
  const lines = recordsIn(file['lines'])
  const { shown, left, grow } = useShowMore(lines.length, linesAtFirst)
  const path = textIn(file['path']) ?? ''
  return (
    <Group className="matches-file" label={path}>
      <h5>
        <PathName path={path} />
        <span className="matches-count">{lines.filter(isMatch).length}</span>
        <OpenFileInPanel path={path} line={numberIn(lines.find(isMatch)?.['number'])} />
      </h5>
      <table className="code-lines">
        <tbody>
          {lines.slice(0, shown).map((line, index) => (
            <MatchRow key={index} line={line} before={lines[index - 1]} pattern={pattern} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.displays.moreLines(left)}
        </button>
      )}
    </Group>
  )
}

function MatchRow(props: {
  line: Record<string, unknown>
  before: Record<string, unknown> | undefined
  pattern: string
}) {
  const { line, before, pattern } = props
  const number = numberIn(line['number'])
  const previous = numberIn(before?.['number'])
  const hasGap = number !== undefined && previous !== undefined && number > previous + 1
  const text = textIn(line['text']) ?? ''
  return (
    <tr className={`${isMatch(line) ? 'matches-line' : 'matches-context'}${hasGap ? ' matches-gap' : ''}`}>
      <td className="code-number">{number}</td>
      <td className="code-text">
        {isMatch(line) ? (
          splitMatches(text, pattern).map((piece, index) =>
            index % 2 === 1 ? (
              <mark key={index}>
                <VisibleText text={piece} as="exact" />
              </mark>
            ) : (
              <VisibleText key={index} text={piece} as="exact" />
            ),
          )
        ) : (
          <VisibleText text={text} as="exact" />
        )}
      </td>
    </tr>
  )
}

function isMatch(line: Record<string, unknown>): boolean {
  return line['match'] !== false
}

/**
 * Splits a line so that every second piece matches the pattern. Supports only plain-word patterns. An untrusted regular
 * expression could hang the page, and JavaScript's syntax differs from the search tool's.
 */
export function splitMatches(line: string, pattern: string): string[] {
  const word = pattern.replaceAll(/\\([.()[\]{}*+?^$|/\\-])/g, '$1')
  const isPlain = !/[.()[\]{}*+?^$|\\]/.test(pattern.replaceAll(/\\[.()[\]{}*+?^$|/\\-]/g, ''))
  if (!isPlain || word === '' || word.includes('\n')) return [line]
  const pieces = line.split(word)
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [word, piece]))
}
