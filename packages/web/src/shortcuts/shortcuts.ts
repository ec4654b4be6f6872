import { useEffect } from 'react'
import { flushSync } from 'react-dom'
import { chooseNextMode } from '../pickers/mode-picker.tsx'
import { isPressed, type Keys } from '../platform/keyboard.ts'
import { browserStorage } from '../platform/storage.ts'
import { noticeError } from '../state/notices.tsx'
import { openFiles, openTerminal, togglePanels } from '../state/panels.ts'
import { t } from '../texts/t.ts'
import { pressDictationKey, useVoice } from '../voice/voice-state.ts'
import { adjacentSession } from '../workspace/app-state.ts'
import { useWorkspace, type Workspace } from '../workspace/workspace.ts'
import { decideVisibleAsk } from './decide-ask.ts'

export interface Shortcut {
  id: string
  keys: Keys
  title: () => string
  where: 'everywhere' | 'message' | 'lists'
  /** Absent if the focused element handles the key and this entry only documents it. */
  run?: (workspace: Workspace) => void
  /** Ignored in text fields, or in those with text. A bare character is text there anyway. */
  notInText?: true | 'unless-empty'
  /** Selector of the dialog it works in. Ignored behind any other dialog. */
  within?: string
  /** True if also listed in the palette. */
  inPalette?: true
}

export const shortcuts: readonly Shortcut[] = [
  {
    id: 'new-session',
    keys: 'Mod+Shift+O',
    title: () => t.shortcuts.newSession,
    where: 'everywhere',
    run: ({ app }) => app.newSession(),
    inPalette: true,
  },
  {
    id: 'next-session',
    keys: 'Alt+ArrowDown',
    title: () => t.shortcuts.nextSession,
    where: 'everywhere',
    run: (workspace) => goToAdjacentSession(workspace, 1),
    inPalette: true,
  },
  {
    id: 'previous-session',
    keys: 'Alt+ArrowUp',
    title: () => t.shortcuts.previousSession,
    where: 'everywhere',
    run: (workspace) => goToAdjacentSession(workspace, -1),
    inPalette: true,
  },
  {
    id: 'palette',
    keys: 'Mod+K',
    title: () => t.palette.title,
    where: 'everywhere',
    run: ({ app }) => app.setDialog('palette'),
  },
  {
    id: 'search',
    keys: 'Mod+Shift+F',
    title: () => t.shortcuts.search,
    where: 'everywhere',
    run: ({ app }) => {
      // A closed sidebar cannot take the focus.
      flushSync(() => app.setSidebar(true))
      focusOn('.sidebar-search input')
    },
    inPalette: true,
  },
  { id: 'find', keys: 'Mod+F', title: () => t.find.label, where: 'everywhere' },
  {
    id: 'inbox',
    keys: 'Mod+I',
    title: () => t.shortcuts.inbox,
    where: 'everywhere',
    run: ({ app }) => app.setDialog('inbox'),
    inPalette: true,
  },
  {
    id: 'approve',
    keys: 'Alt+Y',
    title: () => t.shortcuts.approve,
    where: 'everywhere',
    run: () => decideVisibleAsk('approve'),
    notInText: 'unless-empty',
  },
  {
    id: 'deny',
    keys: 'Alt+N',
    title: () => t.shortcuts.deny,
    where: 'everywhere',
    run: () => decideVisibleAsk('deny'),
    notInText: 'unless-empty',
  },
  { id: 'decide', keys: '1', title: () => t.shortcuts.decide, where: 'everywhere' },
  {
    id: 'mode',
    keys: 'Alt+M',
    title: () => t.shortcuts.mode,
    where: 'everywhere',
    run: ({ app }) => chooseNextMode(app),
    inPalette: true,
  },
  {
    id: 'folders',
    keys: 'Mod+O',
    title: () => t.folders.openMore,
    where: 'everywhere',
    run: ({ app }) => app.setDialog('folders'),
    inPalette: true,
  },
  {
    id: 'settings',
    keys: 'Mod+,',
    title: () => t.shortcuts.settings,
    where: 'everywhere',
    run: ({ app }) => app.openSettings(),
    inPalette: true,
  },
  {
    id: 'panels',
    keys: 'Mod+.',
    title: () => t.panels.shortcut,
    where: 'everywhere',
    run: ({ app, session }) => togglePanels(session(app.getState().sessionId).panels),
    within: '.side-panel-sheet',
    inPalette: true,
  },
  {
    id: 'terminal',
    keys: 'Mod+`',
    title: () => t.panels.openTerminal,
    where: 'everywhere',
    run: ({ app, session }) => {
      const { panels } = session(app.getState().sessionId)
      if (document.activeElement?.closest('.terminal-screen') == null) openTerminal(panels)
      else panels.hide()
    },
    within: '.side-panel-sheet',
    inPalette: true,
  },
  { id: 'leave-terminal', keys: 'Mod+Shift+X', title: () => t.panels.leaveTerminal, where: 'everywhere' },
  {
    id: 'file-tree',
    keys: 'Mod+Shift+E',
    title: () => t.panels.filesShortcut,
    where: 'everywhere',
    run: ({ app, session }) => openFiles(session(app.getState().sessionId).panels),
    inPalette: true,
  },
  {
    id: 'sidebar',
    keys: 'Mod+B',
    title: () => t.palette.sessions,
    where: 'everywhere',
    run: ({ app }) => app.setSidebar(!app.getState().sidebar),
    inPalette: true,
  },
  {
    id: 'debug',
    keys: 'Mod+Shift+L',
    title: () => t.debug.shortcut,
    where: 'everywhere',
    run: ({ app, session }) => session(app.getState().sessionId).panels.open({ kind: 'debug', title: t.debug.title }),
    inPalette: true,
  },
  {
    id: 'write',
    keys: '/',
    title: () => t.shortcuts.focusMessage,
    where: 'everywhere',
    run: () => focusOn('.composer-box textarea'),
  },
  {
    id: 'shortcuts',
    keys: '?',
    title: () => t.shortcuts.sheet,
    where: 'everywhere',
    run: ({ app }) => app.setDialog('shortcuts'),
    inPalette: true,
  },
  {
    id: 'print',
    keys: 'Mod+P',
    title: () => t.share.print,
    where: 'everywhere',
    run: printCurrentChat,
  },
  {
    id: 'dictate',
    keys: 'Alt+V',
    title: () => t.composer.dictate,
    where: 'message',
    run: (workspace) => {
      if (useVoice.getState().dictation !== 'off') pressDictationKey(workspace)
    },
  },
  { id: 'close', keys: 'Escape', title: () => t.shortcuts.close, where: 'everywhere' },
  { id: 'send', keys: 'Enter', title: () => t.shortcuts.send, where: 'message' },
  { id: 'steer', keys: 'Mod+Enter', title: () => t.composer.steer, where: 'message' },
  { id: 'line', keys: 'Shift+Enter', title: () => t.shortcuts.line, where: 'message' },
  { id: 'stop', keys: 'Escape', title: () => t.shortcuts.stop, where: 'message' },
  { id: 'history', keys: 'ArrowUp', title: () => t.shortcuts.history, where: 'message' },
  { id: 'quote', keys: 'Alt+Q', title: () => t.shortcuts.quote, where: 'message' },
  { id: 'files', keys: '@', title: () => t.shortcuts.files, where: 'message' },
  { id: 'commands', keys: '/', title: () => t.shortcuts.commands, where: 'message' },
  { id: 'next', keys: 'ArrowDown', title: () => t.shortcuts.next, where: 'lists' },
  { id: 'previous', keys: 'ArrowUp', title: () => t.shortcuts.previous, where: 'lists' },
  { id: 'take', keys: 'Enter', title: () => t.shortcuts.select, where: 'lists' },
  { id: 'rename', keys: 'F2', title: () => t.shortcuts.rename, where: 'lists' },
  { id: 'remove', keys: 'Delete', title: () => t.shortcuts.remove, where: 'lists' },
]

/** The browser would print only the messages in view. */
function printCurrentChat({ app, session, link }: Workspace): void {
  const { sessionId, isNew } = app.getState()
  const leaf = session(sessionId).getState().messages.at(-1)?.id
  if (isNew || leaf === undefined) window.print()
  else
    void import('../sharing/share-actions.ts').then(
      ({ printChat }) => printChat({ sessionId, leaf }, link),
      noticeError,
    )
}

function goToAdjacentSession({ app }: Workspace, step: 1 | -1): void {
  const id = adjacentSession(app.getState(), step)
  if (id !== undefined) app.select(id)
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus()
}

/** Handles global shortcuts. Behind a dialog, only the dialog's own shortcuts work. */
export function useShortcuts(): void {
  const workspace = useWorkspace()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const { access, dialog } = workspace.app.getState()
      if (access !== 'open') return
      const found = shortcuts.find(({ run, keys }) => run !== undefined && isPressed(keys, event))
      if (found === undefined) return
      const isSign = found.keys.length === 1
      if (isSign && !areSingleKeysEnabled()) return
      const target = event.composedPath()[0] ?? null
      const isFree = found.notInText === 'unless-empty' && target instanceof HTMLTextAreaElement && target.value === ''
      if ((isSign || found.notInText !== undefined) && !isFree && isTyping(target)) return
      // Alt with an arrow key opens the select's options.
      if (event.target instanceof HTMLSelectElement && event.key.startsWith('Arrow')) return
      const over = [...document.querySelectorAll('dialog:modal')].at(-1)
      const isCovered = dialog !== null || over !== undefined
      if (isSign && isCovered) return
      event.preventDefault()
      const isOfDialog = found.within !== undefined && over?.matches(found.within) === true
      if (!event.repeat && (!isCovered || isOfDialog)) found.run?.(workspace)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [workspace])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|range)$/.test(target.type)
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

const singleKeysKey = 'troupe.signs'

/** True if single-key shortcuts such as `?` are enabled. Speech users and accidental typists can turn them off. */
export function areSingleKeysEnabled(): boolean {
  return browserStorage.get(singleKeysKey) !== 'off'
}

export function setSingleKeysEnabled(on: boolean): void {
  browserStorage.set(singleKeysKey, on ? null : 'off')
}
