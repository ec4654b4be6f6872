import type { Mode } from '@troupe/core'
import { useEffect, useState } from 'react'
import type { SessionPage } from '../api/api.ts'
import { isDemoModel, modelName } from '../api/models.ts'
import type { AgentInfo } from '../api/session-types.ts'
import { openFind } from '../find/find.tsx'
import { type Keys, keyText } from '../platform/keyboard.ts'
import { splitSnippet } from '../sessions/search-results.tsx'
import { archive, trash } from '../sessions/session-menu.tsx'
import { downloadChat } from '../sharing/share-actions.ts'
import { findSettings, type Searchable } from '../settings/section.ts'
import { useSearchables } from '../settings/sections.ts'
import { shortcuts } from '../shortcuts/shortcuts.ts'
import { openChanges, openBranchMap } from '../state/panels.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { setTheme } from '../ui/appearance.ts'
import { stripMarkdown } from '../ui/strip-markdown.ts'
import { type AppState, availableModes, findSession } from '../workspace/app-state.ts'
import { useApp, useWorkspace, type Workspace } from '../workspace/workspace.ts'

const typingPause = 160
const noHits: Pick<SessionPage, 'sessions' | 'hits'> = { sessions: [], hits: [] }

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
    // Without a server, the palette shows local entries.
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
          // Without a server, the palette shows local entries.
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
      detail: keys === undefined ? '' : keyText(keys),
      words,
      narrowsTo,
      run: () => run(workspace),
    }
  }
}

interface PaletteCommand {
  id: string
  title: string
  words?: string
  keys?: Keys
  /** Replaces the query with this text to choose a target next. */
  narrowsTo?: string
  run: (workspace: Workspace) => void
}

const themes = ['light', 'dark', 'system'] as const

function commands(state: AppState): PaletteCommand[] {
  return [
    ...shortcuts.flatMap(({ id, keys, title, run, inPalette }) =>
      run === undefined || inPalette === undefined ? [] : [{ id, keys, title: title(), run }],
    ),
    ...(state.isNew ? [] : sessionCommands(state)),
    {
      id: 'changes',
      title: t.panels.changes,
      run: (workspace) => openChanges(workspace.session(state.sessionId).panels),
    },
    { id: 'worktrees', title: t.folders.worktreesMore, run: ({ app }) => app.setDialog('worktrees') },
    // Listed before the model command, which matches the same letters.
    { id: 'switch-mode', title: t.palette.switchMode, narrowsTo: t.modes.picked(''), run: () => undefined },
    { id: 'switch-model', title: t.palette.switchModel, narrowsTo: t.models.picked('', false), run: () => undefined },
    // The first message fixes the session's agent.
    ...(state.isNew
      ? [{ id: 'switch-agent', title: t.palette.switchAgent, narrowsTo: t.agents.picked(''), run: () => undefined }]
      : []),
    { id: 'import', title: t.sessions.importMenu, run: ({ app }) => app.setDialog('import') },
    ...themes.map((theme) => ({
      id: `theme-${theme}`,
      title: t.palette.theme(t.ui.themes[theme]),
      words: t.settings.themeWords,
      run: () => setTheme(theme),
    })),
  ]
}

function choices({ models, permissions, isNew }: AppState, agents: readonly AgentInfo[]): PaletteCommand[] {
  return [
    ...models.map((model) => ({
      id: `model-${model.ref}`,
      title: t.models.picked(modelName(model), isDemoModel(model.ref)),
      words: model.ref,
      run: ({ app }: Workspace) => void app.chooseModel(model.ref),
    })),
    ...availableModes({ bypass: permissions?.bypass === true }).map((mode: Mode) => ({
      id: `mode-${mode}`,
      title: t.modes.picked(t.modes.each[mode].name),
      run: ({ app }: Workspace) => void app.chooseMode(mode),
    })),
    ...(isNew ? agents.filter(({ enabled, hidden }) => enabled && hidden !== true) : []).map(
      ({ name, description }) => ({
        id: `agent-${name}`,
        title: t.agents.picked(name),
        words: description,
        run: ({ app }: Workspace) => app.chooseAgent(name === 'master' ? null : name),
      }),
    ),
  ]
}

function sessionCommands(state: AppState): PaletteCommand[] {
  const { sessionId } = state
  const session = findSession(state, sessionId)
  const formats = { md: t.sessions.exportMarkdown, html: t.sessions.exportHtml, json: t.sessions.exportJson } as const
  return [
    { id: 'find', keys: 'Mod+F', title: t.find.open, run: () => openFind() },
    {
      id: 'branches',
      title: t.branches.open,
      run: (workspace) => openBranchMap(workspace.session(sessionId).panels),
    },
    { id: 'context', title: t.context.title, run: ({ app }) => app.setDialog('context') },
    ...(['md', 'html', 'json'] as const).map((format) => ({
      id: `export-${format}`,
      title: t.palette.export(formats[format]),
      run: (workspace: Workspace) =>
        downloadChat(
          { sessionId, leaf: workspace.session(sessionId).getState().messages.at(-1)?.id },
          format,
          workspace.link,
        ),
    })),
    ...(session === undefined || session.trashedAt !== null
      ? []
      : [
          { id: 'rename', title: t.palette.rename, run: renameCurrentSession },
          ...(session.archived
            ? []
            : [{ id: 'archive', title: t.palette.archive, run: ({ app }: Workspace) => void archive(app, [session]) }]),
          { id: 'delete', title: t.palette.delete, run: ({ app }: Workspace) => void trash(app, [session]) },
        ]),
  ]
}

function renameCurrentSession(): void {
  document.querySelector<HTMLElement>('.header-title button')?.click()
}

export interface PaletteEntry {
  id: string
  group: 'commands' | 'choices' | 'sessions' | 'messages' | 'settings'
  title: string
  detail: string
  words?: string
  /** True if offered while the query is empty. */
  isFirst?: boolean
  /** Replaces the query with this text instead of running. */
  narrowsTo?: string
  run: () => void
}

const mostPerGroup: Record<PaletteEntry['group'], number> = {
  commands: 12,
  choices: 40,
  sessions: 8,
  messages: 8,
  settings: 8,
}
const mostSessionsAtFirst = 6

/** Returns matches by group. Messages come from the server, so all of them match. */
export function findEntries(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const isSearching = query.trim() !== ''
  const searchable = (entry: PaletteEntry): Searchable => ({
    at: entry.id,
    title: entry.title,
    section: entry.detail,
    words: entry.words ?? '',
  })
  return [...Map.groupBy(entries, ({ group }) => group)].flatMap(([group, members]) => {
    if (!isSearching) {
      const first = members.filter(({ isFirst }) => isFirst === true)
      return group === 'sessions' ? first.slice(0, mostSessionsAtFirst) : first
    }
    if (group === 'messages') return members.slice(0, mostPerGroup[group])
    const byId = new Map(members.map((entry) => [entry.id, entry]))
    return findSettings(members.map(searchable), query)
      .slice(0, mostPerGroup[group])
      .flatMap(({ at }) => byId.get(at) ?? [])
  })
}
