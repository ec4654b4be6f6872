import { useSyncExternalStore } from 'react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { t } from '../texts/t.ts'
import * as stack from './panels-state.ts'
import type { Panel, PanelRequest, PanelsState } from './panels-state.ts'

export function openBranchMap(panels: Panels, messageId?: string): void {
  panels.open({
    kind: 'branches',
    key: 'map',
    title: t.branches.title,
    data: messageId === undefined ? {} : { messageId },
  })
}

export function openFiles(panels: Panels): void {
  panels.open({ kind: 'files', title: t.panels.files })
}

/** Opens the projects of the folder, or one of them. */
export function openProjects(panels: Panels, projectId?: string): void {
  panels.open({ kind: 'projects', title: t.folders.projects, data: { projectId } })
}

export function openChanges(panels: Panels, view?: 'chat' | 'git' | 'turn'): void {
  panels.open({ kind: 'changes', title: t.panels.changes, data: view === undefined ? {} : { view } })
}

export interface Panels extends StoreApi<PanelsState> {
  /**
   * Opens a panel, or brings forward the one with the same kind and key. Panels opened by a tool do not take the focus.
   * On narrow screens, where panels cover the chat, they wait behind the button. Returns the panel's ID.
   */
  open: (request: PanelRequest, options?: { by?: 'person' | 'tool'; behind?: boolean }) => string
  bringForward: (id: string) => void
  pin: (id: string, pinned: boolean) => void
  change: (id: string, change: Partial<Pick<Panel, 'title' | 'data'>>) => void
  /** Does nothing if a guard of the panel asks the user first. */
  close: (id: string, options?: { force?: boolean }) => void
  /** Asks before the panel closes, if `guard` returns true. Returns how to end this. */
  guardClose: (id: string, guard: () => boolean) => () => void
  hide: () => void
  show: () => void
  toggle: () => void
  /** Clears the focus request, so that returning to the session does not move the focus again. */
  clearFocusRequest: () => void
}

interface PanelsServices {
  /** State from before the reload. */
  initial: PanelsState
  isNarrow: () => boolean
  save: (state: PanelsState) => void
}

export function createPanels({ initial, isNarrow, save: keep }: PanelsServices): Panels {
  const store = createStore<PanelsState>(() => ({ ...initial, hidden: initial.hidden || isNarrow() }))
  const set = (next: (state: PanelsState) => PanelsState) => {
    store.setState(next, true)
    keep(store.getState())
  }
  const guards = new Map<string, () => boolean>()
  const asked = (state: PanelsState): PanelsState => ({ ...state, focusRequest: state.focusRequest + 1 })

  return {
    ...store,
    open(request, { by = 'person', behind = false } = {}) {
      set((state) => {
        const opened = stack.withOpened(state, request, { behind })
        if (behind || (by === 'tool' && isNarrow())) return opened
        return by === 'tool' ? { ...opened, hidden: false } : asked({ ...opened, hidden: false })
      })
      return stack.panelId(request)
    },
    bringForward: (id) => set((state) => stack.withFront(state, id)),
    pin: (id, pinned) => set((state) => stack.withPinned(state, id, pinned)),
    change: (id, change) => set((state) => stack.withChanged(state, id, change)),
    close(id, { force = false } = {}) {
      if (!force && guards.get(id)?.() === true) return
      set((state) => stack.withClosed(state, id))
    },
    guardClose(id, guard) {
      guards.set(id, guard)
      return () => {
        if (guards.get(id) === guard) guards.delete(id)
      }
    },
    hide,
    show,
    toggle: () => (store.getState().hidden ? show() : hide()),
    clearFocusRequest: () => store.setState({ focusRequest: 0 }),
  }

  function hide(): void {
    set((state) => ({ ...state, hidden: true }))
  }

  function show(): void {
    set((state) => asked({ ...state, hidden: false }))
  }
}

/** Opens the terminals, and starts one if there is none. Only for the user: a tool must not start a shell. */
export function openTerminal(panels: Panels): void {
  panels.open({ kind: 'terminal', title: t.panels.terminal, data: { start: true } })
}

/** Shows or hides the panel stack. If empty, opens the panel chooser. */
export function togglePanels(panels: Panels): void {
  if (panels.getState().panels.length === 0) openPanelChooser(panels)
  else panels.toggle()
}

export function openPanelChooser(panels: Panels): void {
  panels.open({ kind: 'open', title: t.panels.newPanel })
}

/** True if the session list, chat and a panel do not fit side by side. */
export function isNarrowForPanels(): boolean {
  return narrowQuery().matches
}

export function useNarrowForPanels(): boolean {
  return useSyncExternalStore(onNarrow, isNarrowForPanels)
}

function narrowQuery(): MediaQueryList {
  return window.matchMedia('(max-width: 1099px)')
}

function onNarrow(listener: () => void): () => void {
  const media = narrowQuery()
  media.addEventListener('change', listener)
  return () => media.removeEventListener('change', listener)
}
