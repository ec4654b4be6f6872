import { useEffect, useState } from 'react'
import type { SessionPage } from '../api/api.ts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { splitSnippet } from '../sessions/split-snippet.ts'
import { useSearchables } from '../settings/use-searchables.ts'
import { keyNames } from '../shortcuts/keys.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { commands } from './commands.ts'
import { findEntries } from './find-entries.ts'
import type { Entry } from './find-entries.ts'

const typingPause = 160
const noHits: Pick<SessionPage, 'sessions' | 'hits'> = { sessions: [], hits: [] }

/** Everything that fits what is typed: commands, sessions, messages of all of them, settings. */
export function useEntries(query: string): Entry[] {
  const workspace = useWorkspace()
  const { app, api } = workspace
  const isNew = useApp((state) => state.isNew)
  const listed = useApp((state) => state.sessions)
  const wanted = query.trim()
  const settings = useSearchables(wanted !== '')
  const [found, setFound] = useState({ query: '', page: noHits })
  useEffect(() => {
    if (wanted === '') return
    let isLate = false
    const timer = setTimeout(
      () =>
        void api.sessions({ query: wanted }).then(
          (page) => isLate || setFound({ query: wanted, page }),
          // Without a server there is still what the page knows.
          () => undefined,
        ),
      typingPause,
    )
    return () => {
      isLate = true
      clearTimeout(timer)
    }
  }, [api, wanted])
  const { sessions, hits } = found.query === wanted && wanted !== '' ? found.page : noHits
  const known = new Map([...sessions, ...listed].map((session) => [session.id, session]))
  return findEntries(
    [
      ...commands({ isNew }).map(({ id, title, words = '', keys, run }): Entry => ({
        id: `command ${id}`,
        group: 'commands',
        title,
        detail: keys === undefined ? '' : keyNames(keys).join(' '),
        words,
        run: () => run(workspace),
      })),
      ...[...known.values()].map(({ id, title }): Entry => ({
        id: `session ${id}`,
        group: 'sessions',
        title,
        detail: '',
        run: () => app.select(id),
      })),
      ...hits.map(({ sessionId, messageId, title, snippet }): Entry => ({
        id: `message ${messageId}`,
        group: 'messages',
        title: splitSnippet(stripMarkdown(snippet))
          .map(({ text }) => text)
          .join(''),
        detail: title,
        run: () => app.select(sessionId, messageId),
      })),
      ...settings.map(({ at, title, section, words }): Entry => ({
        id: `setting ${at}`,
        group: 'settings',
        title,
        detail: title === section ? '' : section,
        words,
        run: () => app.openSettings(at),
      })),
    ],
    query,
  )
}
