import { recordsIn, textIn, webAddress } from '../api/read-fields.ts'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { DisplayPanel, useShowMore, ValueView, WebLink } from './parts/display-parts.tsx'
import type { DisplayProps } from './parts/display-registry.ts'
import './results.css'

const resultsAtFirst = 6

/** Web search results: `query`, `results` ({`title`, `url`, `text`}). */
export default function ResultsDisplay({ content }: DisplayProps) {
  const results = recordsIn(content['results'])
  const { shown, left, grow } = useShowMore(results.length, resultsAtFirst, 50)
  if (!Array.isArray(content['results'])) return <ValueView value={content} />
  const query = textIn(content['query']) ?? ''
  return (
    <DisplayPanel
      label={t.displays.resultsFor(query)}
      head={<span className="results-query">{<VisibleText text={query} />}</span>}
      facts={t.displays.results(results.length)}
    >
      {results.length === 0 && <p className="panel-empty">{t.displays.nothingFound}</p>}
      <ol className="results">
        {results.slice(0, shown).map((result, index) => {
          const url = textIn(result['url']) ?? ''
          return (
            <li key={index}>
              <div className="result-head">
                <WebLink url={url} text={textIn(result['title'])?.trim() || url} />
                <span className="result-host">{webAddress(url)?.host}</span>
              </div>
              <p>
                <VisibleText text={textIn(result['text']) ?? ''} />
              </p>
            </li>
          )
        })}
      </ol>
      {left > 0 && (
        <button type="button" className="panel-more" onClick={grow}>
          {t.displays.moreResults(left)}
        </button>
      )}
    </DisplayPanel>
  )
}
