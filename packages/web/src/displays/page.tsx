import { numberIn, splitLines, textIn, webAddress } from '../api/read-fields.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import './page.css'
import { DisplayPanel, useShowMore, ValueView, WebLink } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'

const linesAtFirst = 14

/** Web page: `url`, `title`, `status`, `mediaType`, `text` (excerpt), `characters` (total). */
export default function PageDisplay({ content }: DisplayProps) {
  const text = textIn(content['text']) ?? ''
  const lines = splitLines(text)
  const { shown, left, grow } = useShowMore(lines.length, linesAtFirst)
  const url = textIn(content['url'])
  if (url === undefined) return <ValueView value={content} />

  const title = textIn(content['title'])?.trim() || url
  const status = numberIn(content['status'])
  const characters = numberIn(content['characters']) ?? text.length
  return (
    <DisplayPanel
      label={t.displays.page(title)}
      head={<WebLink url={url} text={title} />}
      facts={
        <>
          <span className="page-host">{webAddress(url)?.host}</span>
          {status !== undefined && <span className={status >= 400 ? 'page-bad' : undefined}>{status}</span>}
        </>
      }
      copy={{ text: url, label: t.displays.copyAddress }}
      foot={
        characters > text.length &&
        t.displays.firstCharacters(
          text.length,
          characters,
          text === '' ? (textIn(content['mediaType']) ?? t.displays.notText) : undefined,
        )
      }
    >
      {text !== '' && (
        <div className="page-text">
          <VisibleText text={lines.slice(0, shown).join('\n')} />
        </div>
      )}
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.displays.moreLines(left)}
        </button>
      )}
    </DisplayPanel>
  )
}
