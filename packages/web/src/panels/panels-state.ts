import type { Panel, PanelRequest } from './panel.ts'

/** The stack of one session. Everything here is replaced, never changed in place. */
export interface PanelsState {
  /** In the order of their tabs, the pinned ones first. */
  panels: readonly Panel[]
  /** The ids, the one in front last: closing it brings the one before forward. */
  order: readonly string[]
  /** The stack is put away; its panels stay. */
  hidden: boolean
  /** How often a person has asked for a panel since the focus was brought there. */
  asked: number
}

/** Beyond this the one that was in front longest ago makes room, unless it is pinned. */
const maxPanels = 12

export const noPanels: PanelsState = { panels: [], order: [], hidden: false, asked: 0 }

export function panelId({ kind, key = '' }: Pick<PanelRequest, 'kind' | 'key'>): string {
  return `${kind}:${key}`
}

/** For `id` attributes, which are named in lists: a path may have spaces. */
export function elementId(baseId: string, what: 'tab' | 'room', { id }: Panel): string {
  return `${baseId}-${what}-${encodeURIComponent(id)}`
}

export function frontPanel({ panels, order }: PanelsState): Panel | undefined {
  return panels.find(({ id }) => id === order.at(-1))
}

/** Puts it in front; with `behind` it comes to stand behind the one that is. */
export function withOpened(state: PanelsState, request: PanelRequest, { behind = false } = {}): PanelsState {
  const id = panelId(request)
  const { kind, key = '', title, data = {} } = request
  const known = state.panels.find((panel) => panel.id === id)
  const panel: Panel = { id, kind, key, title, data, pinned: known?.pinned ?? false }
  const panels =
    known === undefined ? [...state.panels, panel] : state.panels.map((other) => (other === known ? panel : other))
  const others = state.order.filter((other) => other !== id)
  const stays = behind && others.length > 0 && state.order.at(-1) !== id
  const order = stays ? [...others.slice(0, -1), id, ...others.slice(-1)] : [...others, id]
  return evictOldest({ ...state, panels, order }, id)
}

export function withFront(state: PanelsState, id: string): PanelsState {
  if (!state.order.includes(id)) return state
  return { ...state, order: [...state.order.filter((other) => other !== id), id], hidden: false }
}

export function withPinned(state: PanelsState, id: string, pinned: boolean): PanelsState {
  const changed = state.panels.map((panel) => (panel.id === id ? { ...panel, pinned } : panel))
  return {
    ...state,
    panels: [...changed.filter((panel) => panel.pinned), ...changed.filter((panel) => !panel.pinned)],
  }
}

/** The panel in other words, or with other data, where it stands. */
export function withChanged(
  state: PanelsState,
  id: string,
  change: Partial<Pick<Panel, 'title' | 'data'>>,
): PanelsState {
  return { ...state, panels: state.panels.map((panel) => (panel.id === id ? { ...panel, ...change } : panel)) }
}

export function withClosed(state: PanelsState, closed: string): PanelsState {
  return {
    ...state,
    panels: state.panels.filter(({ id }) => id !== closed),
    order: state.order.filter((id) => id !== closed),
  }
}

function evictOldest(state: PanelsState, opened: string): PanelsState {
  if (state.panels.length <= maxPanels) return state
  const pinned = new Set(state.panels.filter((panel) => panel.pinned).map(({ id }) => id))
  const gone = state.order.find((id) => id !== opened && !pinned.has(id))
  return gone === undefined ? state : withClosed(state, gone)
}
