import { t } from '../texts/t.ts'
import type { Workspace } from '../workspace.ts'
import type { Keys } from './keys.ts'

export interface Shortcut {
  id: string
  keys: Keys
  title: () => string
  where: 'everywhere' | 'message' | 'lists'
  /** Absent: whoever has the focus hears the keys; here they are only told. */
  run?: (workspace: Workspace) => void
}

/** Every shortcut of the page, as the sheet tells them. */
export const shortcuts: readonly Shortcut[] = [
  {
    id: 'new-session',
    keys: 'Mod+Shift+O',
    title: () => t.shortcuts.newSession,
    where: 'everywhere',
    run: ({ app }) => app.newSession(),
  },
  {
    id: 'palette',
    keys: 'Mod+K',
    title: () => t.palette.title,
    where: 'everywhere',
    run: ({ app }) => {
      // Not over another dialog: it would take its place, and with it what was typed there.
      if (app.getState().dialog === null) app.setDialog('palette')
    },
  },
  { id: 'search', keys: 'Mod+Shift+F', title: () => t.shortcuts.search, where: 'everywhere' },
  { id: 'find', keys: 'Mod+F', title: () => t.find.label, where: 'everywhere' },
  { id: 'inbox', keys: 'Mod+I', title: () => t.shortcuts.inbox, where: 'everywhere' },
  {
    id: 'settings',
    keys: 'Mod+,',
    title: () => t.shortcuts.settings,
    where: 'everywhere',
    run: ({ app }) => app.openSettings(),
  },
  {
    id: 'panels',
    keys: 'Mod+.',
    title: () => t.panels.shortcut,
    where: 'everywhere',
    run: ({ app, session }) => session(app.getState().sessionId).panels.toggle(),
  },
  {
    id: 'debug',
    keys: 'Mod+Shift+L',
    title: () => t.debug.shortcut,
    where: 'everywhere',
    run: ({ app, session }) => session(app.getState().sessionId).panels.open({ kind: 'debug', title: t.debug.title }),
  },
  {
    id: 'shortcuts',
    keys: '?',
    title: () => t.shortcuts.sheet,
    where: 'everywhere',
    run: ({ app }) => app.setDialog('shortcuts'),
  },
  { id: 'close', keys: 'Escape', title: () => t.shortcuts.close, where: 'everywhere' },
  { id: 'send', keys: 'Enter', title: () => t.shortcuts.send, where: 'message' },
  { id: 'steer', keys: 'Mod+Enter', title: () => t.composer.steer, where: 'message' },
  { id: 'line', keys: 'Shift+Enter', title: () => t.shortcuts.line, where: 'message' },
  { id: 'stop', keys: 'Escape', title: () => t.shortcuts.stop, where: 'message' },
  { id: 'history', keys: 'ArrowUp', title: () => t.shortcuts.history, where: 'message' },
  { id: 'quote', keys: 'Alt+Q', title: () => t.shortcuts.quote, where: 'message' },
  { id: 'mode', keys: 'Shift+Tab', title: () => t.shortcuts.mode, where: 'message' },
  { id: 'files', keys: '@', title: () => t.shortcuts.files, where: 'message' },
  { id: 'commands', keys: '/', title: () => t.shortcuts.commands, where: 'message' },
  { id: 'next', keys: 'ArrowDown', title: () => t.shortcuts.next, where: 'lists' },
  { id: 'previous', keys: 'ArrowUp', title: () => t.shortcuts.previous, where: 'lists' },
  { id: 'take', keys: 'Enter', title: () => t.shortcuts.take, where: 'lists' },
  { id: 'rename', keys: 'F2', title: () => t.shortcuts.rename, where: 'lists' },
  { id: 'remove', keys: 'Delete', title: () => t.shortcuts.remove, where: 'lists' },
]
