import { useEffect, useState } from 'react'
import type { AgentInfo } from '../api/agent-info.ts'
import type { SessionPage } from '../api/api.ts'
import { stripMarkdown } from '../markdown/strip-markdown.ts'
import { splitSnippet } from '../sessions/split-snippet.ts'
import { useSearchables } from '../settings/use-searchables.ts'
import { keyNames } from '../shortcuts/keys.ts'
import { useApp, useWorkspace } from '../workspace.ts'
import { choices, commands } from './commands.ts'
import type { PaletteCommand } from './commands.ts'
import { findEntries } from './find-entries.ts'
import type { PaletteEntry } from './find-entries.ts'

const typingPause = 160
const noHits: Pick<SessionPage, 'sessions' | 'hits'> = { sessions: [], hits: [] }

/** Everything that fits what is typed: commands, sessions, messages of all of them, settings. */
export function useEntries(query: string): PaletteEntry[] {
  const workspace = useWorkspace()
  const { app, api } = workspace
  const state = useApp((all) => all)
  const { isNew, sessions: listed } = state
  const [agents, setAgents] = useState<AgentInfo[]>([])
  const wanted = query.trim()
  const settings = useSearchables(wanted !== '')
  const [found, setFound] = useState({ query: '', page: noHits })
  useEffect(() => {
    if (!isNew) return
    // Without a server there is still what the page knows.
    void api.agents().then(
      ({ agents: all }) => setAgents(all),
      () => undefined,
    )
  }, [api, isNew])
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
      ...commands(state).map((command) => ({ ...entryOf(command, 'commands'), isFirst: true })),
      ...choices(state, agents).map((choice) => entryOf(choice, 'choices')),
      ...[...known.values()].map(({ id, title }): PaletteEntry => ({
        id: `session ${id}`,
        group: 'sessions',
        title,
        detail: '',
        isFirst: true,
        run: () => app.select(id),
      })),
      ...hits.map(({ sessionId, messageId, title, snippet }): PaletteEntry => ({
        id: `message ${messageId}`,
        group: 'messages',
        title: splitSnippet(stripMarkdown(snippet))
          .map(({ text }) => text)
          .join(''),
        detail: title,
        run: () => app.select(sessionId, messageId),
      })),
      ...settings.map(({ at, title, section, words }): PaletteEntry => ({
        id: `setting ${at}`,
        group: 'settings',
        title,
        detail: title === section ? '' : section,
        words,
        isFirst: !at.includes('/'),
        run: () => app.openSettings(at),
      })),
    ],
    query,
  )

  function entryOf(
    { id, title, words = '', keys, narrowsTo, run }: PaletteCommand,
    group: PaletteEntry['group'],
  ): PaletteEntry {
    return {
      id: `${group} ${id}`,
      group,
      title,
      detail: keys === undefined ? '' : keyNames(keys).join(' '),
      words,
      ...(narrowsTo !== undefined && { narrowsTo }),
      run: () => run(workspace),
    }
  }
}
