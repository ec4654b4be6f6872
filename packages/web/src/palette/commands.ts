import type { AppState } from '../find-session.ts'
import '../texts/show-late.ts'
import type { Mode } from '@troupe/core'
import type { AgentInfo } from '../api/agent-info.ts'
import { isDemoModel } from '../api/model-info.ts'
import { openBranchMap } from '../branches/open-branch-map.ts'
import { openFind } from '../find/open-find.ts'
import { findSession } from '../find-session.ts'
import { availableModes } from '../modes/session-mode.ts'
import { exportSession } from '../sessions/export-session.ts'
import { archive, trash } from '../sessions/session-menu.tsx'
import { shortcuts } from '../shortcuts/shortcuts.ts'
import type { Keys } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { setTheme } from '../ui/theme.ts'
import type { Workspace } from '../workspace.ts'

/** Something that can be done from anywhere. */
export interface PaletteCommand {
  id: string
  title: string
  words?: string
  keys?: Keys
  /** What it is about is chosen next, from what these words find. */
  narrowsTo?: string
  run: (workspace: Workspace) => void
}

const themes = ['light', 'dark', 'system'] as const

/** What the palette offers besides sessions and settings. */
export function commands(state: AppState): PaletteCommand[] {
  return [
    ...shortcuts.flatMap(({ id, keys, title, run, inPalette }) =>
      run === undefined || inPalette === undefined ? [] : [{ id, keys, title: title(), run }],
    ),
    ...(state.isNew ? [] : sessionCommands(state)),
    // Before the model, which has its letters.
    { id: 'switch-mode', title: t.palette.switchMode, narrowsTo: t.modes.picked(''), run: () => undefined },
    { id: 'switch-model', title: t.palette.switchModel, narrowsTo: t.models.picked('', false), run: () => undefined },
    // Whom a session talks to is settled with its first message.
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

/** What a model, a mode and an agent can be switched to. */
export function choices({ models, permissions, isNew }: AppState, agents: readonly AgentInfo[]): PaletteCommand[] {
  return [
    ...models.map(({ ref, name }) => ({
      id: `model-${ref}`,
      title: t.models.picked(name, isDemoModel(ref)),
      words: ref,
      run: ({ app }: Workspace) => void app.chooseModel(ref),
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
        exportSession(sessionId, format, workspace.session(sessionId).getState().messages.at(-1)?.id),
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

/** In the header, where its title stands. */
function renameCurrentSession(): void {
  document.querySelector<HTMLElement>('.header-title button')?.click()
}
