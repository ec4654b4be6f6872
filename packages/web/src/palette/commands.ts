import { shortcuts } from '../shortcuts/shortcuts.ts'
import type { Keys } from '../shortcuts/keys.ts'
import { t } from '../texts/t.ts'
import { setTheme } from '../ui/theme.ts'
import type { Workspace } from '../workspace.ts'

/** Something that can be done from anywhere. */
export interface Command {
  id: string
  title: string
  words?: string
  keys?: Keys
  run: (workspace: Workspace) => void
}

const themes = ['light', 'dark', 'system'] as const

/** What the palette offers besides sessions and settings; `isNew`: nothing was said in the session in sight yet. */
export function commands({ isNew }: { isNew: boolean }): Command[] {
  const known = shortcuts.flatMap(({ id, keys, title, run }) =>
    run === undefined || id === 'palette' ? [] : [{ id, keys, title: title(), run }],
  )
  return [
    ...known,
    { id: 'inbox', keys: 'Mod+I', title: t.shortcuts.inbox, run: ({ app }) => app.setDialog('inbox') },
    ...(isNew
      ? []
      : [{ id: 'context', title: t.context.title, run: ({ app }: Workspace) => app.setDialog('context') }]),
    {
      id: 'sidebar',
      title: t.palette.sessions,
      run: ({ app }) => app.setSidebar(!app.getState().sidebar),
    },
    ...themes.map((theme) => ({
      id: `theme-${theme}`,
      title: t.palette.theme(t.ui.themes[theme]),
      words: t.settings.themeWords,
      run: () => setTheme(theme),
    })),
  ]
}
