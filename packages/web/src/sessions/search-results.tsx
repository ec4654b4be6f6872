import { t } from '../texts/t.ts'
import { stripMarkdown } from '../ui/strip-markdown.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import { moveInList } from './session-list.tsx'
import { SessionMark } from './session-row.tsx'

/** Maximum hits the server returns. */
const mostHits = 50

export function SearchResults() {
  const { app } = useWorkspace()
  const { query, found } = useApp((state) => state.search)
  const asks = useApp((state) => state.asks)
  const waitingIn = (sessionId: string) => asks.filter((ask) => ask.sessionId === sessionId).length
  if (found === null) return <p className="sessions-none">{t.sessions.searching}</p>
  const archivedOnes = new Set(found.sessions.filter(({ archived }) => archived).map(({ id }) => id))
  const inMessages = new Set(found.hits.map((hit) => hit.sessionId))
  const byTitle = found.sessions.filter(({ id }) => !inMessages.has(id))
  if (found.hits.length + byTitle.length === 0)
    return <p className="sessions-none">{t.sessions.nothingFound(query.trim())}</p>
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys from one to the next
    <ul
      className="hits"
      aria-label={t.sessions.results}
      data-focus-home=".hit"
      onKeyDown={(event) => void moveInList(event, event.currentTarget.closest('nav'))}
    >
      {byTitle.map(({ id, title, archived }) => (
        <li key={id}>
          <button type="button" className="hit" onClick={() => app.select(id)}>
            <span className="hit-title">
              {title}
              {archived && <span className="hit-archived">{t.sessions.archivedMark}</span>}
            </span>
            <SessionMark waiting={waitingIn(id)} running={false} />
          </button>
        </li>
      ))}
      {found.hits.map((hit) => (
        <li key={hit.messageId}>
          <button
            type="button"
            className="hit"
            onClick={() => app.select(hit.sessionId, hit.messageId, firstMatch(hit.snippet))}
          >
            <span className="hit-title">
              {hit.title}
              {archivedOnes.has(hit.sessionId) && <span className="hit-archived">{t.sessions.archivedMark}</span>}
            </span>
            <SessionMark waiting={waitingIn(hit.sessionId)} running={false} />
            <span className="hit-snippet">
              {splitSnippet(stripMarkdown(hit.snippet)).map(({ text, match }, index) =>
                match ? <mark key={index}>{text}</mark> : text,
              )}
            </span>
          </button>
        </li>
      ))}
      {found.hits.length >= mostHits && <li className="hits-more">{t.sessions.firstFound(mostHits)}</li>}
    </ul>
  )
}

function firstMatch(snippet: string): string | undefined {
  return splitSnippet(snippet).find(({ match }) => match)?.text
}

/** Splits a snippet into pieces. Matches are between U+E000 and U+E001. */
export function splitSnippet(snippet: string): { text: string; match: boolean }[] {
  return snippet
    .split(/(\uE000[^\uE001]*\uE001?)/)
    .filter((piece) => piece !== '')
    .map((piece) => ({ text: piece.replaceAll(/[\uE000\uE001]/g, ''), match: piece.startsWith('\uE000') }))
}
