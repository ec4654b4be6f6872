import type { Part } from '@troupe/core/protocol'
import { t } from '../texts/t.ts'
import { Group } from '../ui/group.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { readSources } from './read-sources.ts'
import './answer-sources.css'

/** What an answer rests on. A letter stands for each site: its own picture would have to be fetched. */
export function AnswerSources({ parts }: { parts: readonly Part[] }) {
  const sources = readSources(parts)
  if (sources.length === 0) return null
  return (
    <Group className="sources" label={t.chat.sources}>
      <h4>{t.chat.sources}</h4>
      <ol>
        {sources.map(({ key, title, place, url, letter }) => (
          <li key={key}>
            <span className="sources-letter" aria-hidden>
              {letter}
            </span>
            {url === undefined ? (
              <span className="sources-title">
                <VisibleText text={title} />
              </span>
            ) : (
              <a className="sources-title" href={url} target="_blank" rel="noopener noreferrer nofollow">
                <VisibleText text={title} />
              </a>
            )}
            {place !== undefined && <span className="sources-place">{place}</span>}
          </li>
        ))}
      </ol>
    </Group>
  )
}
