import type { ComponentType } from 'react'
import { isRecord, recordsIn, textIn } from '../api/read-fields.ts'
import type { KeyValueStorage } from '../platform/storage.ts'

/** Panel stack of one session. Immutable: every update replaces it. */
export interface PanelsState {
  /** In tab order, pinned ones first. */
  panels: readonly Panel[]
  /** IDs by recency, the front panel last. Closing it reveals the one before. */
  order: readonly string[]
  /** True if the stack is hidden. Its panels stay open. */
  hidden: boolean
  /** User requests for a panel since the focus last moved there. */
  focusRequest: number
}

/** Beyond this, the least recently used unpinned panel closes. */
const maxPanels = 12

export const noPanels: PanelsState = { panels: [], order: [], hidden: false, focusRequest: 0 }

export function panelId({ kind, key = '' }: Pick<PanelRequest, 'kind' | 'key'>): string {
  return `${kind}:${key}`
}

/** Builds an `id` attribute. Escapes the panel ID, because a path may contain spaces. */
export function elementId(baseId: string, what: 'tab' | 'room', { id }: Panel): string {
  return `${baseId}-${what}-${encodeURIComponent(id)}`
}

export function frontPanel({ panels, order }: PanelsState): Panel | undefined {
  return panels.find(({ id }) => id === order.at(-1))
}

/** Brings the panel to the front, or places it behind the front one with `behind`. */
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

export interface Panel {
  /** Derived from kind and key, so the same thing opens only once. */
  id: string
  /** File name in `kinds/`. */
  kind: string
  /** Identity within the kind: a path, URL or agent ID. */
  key: string
  title: string
  /** JSON that survives a reload. Validate it, because another page version may have written it. */
  data: Record<string, unknown>
  /** Comes first and never closes to make room. */
  pinned: boolean
}

/** Request to show a panel. A known kind and key brings that panel forward with the new title and data. */
export interface PanelRequest {
  kind: string
  /** Omit for a singleton kind. */
  key?: string
  title: string
  data?: Record<string, unknown>
}

export interface PanelProps {
  panel: Panel
}

/** Exports of a file in `kinds/`. */
export interface PanelKind {
  default: ComponentType<PanelProps>
  Icon?: ComponentType
  /** Stays mounted while another panel is in front, for example a page the user edited or a running preview. */
  staysAlive?: boolean
}

const listKey = 'troupe.panels'
const maxStoredSessions = 40
/** Larger data is lost on reload. */
const maxDataLength = 60_000

interface PanelStorage {
  read(sessionId: string): PanelsState
  write(sessionId: string, state: PanelsState): void
  forget(sessionId: string): void
}

export function createPanelStorage(kept: KeyValueStorage): PanelStorage {
  return { read, write, forget }

  function read(sessionId: string): PanelsState {
    const value = parseJson(kept.get(panelsKey(sessionId)))
    if (!isRecord(value)) return noPanels
    const panels = recordsIn(value['panels']).flatMap(readPanel)
    const ids = new Set(panels.map(({ id }) => id))
    const named = Array.isArray(value['order']) ? value['order'].filter((id) => ids.has(id as string)) : []
    const order = [...new Set([...ids].filter((id) => !named.includes(id)).concat(named as string[]))]
    return { panels, order, hidden: value['hidden'] === true, focusRequest: 0 }
  }

  function write(sessionId: string, { panels, order, hidden }: PanelsState): void {
    const worth = panels.filter(({ data }) => JSON.stringify(data).length <= maxDataLength)
    if (worth.length === 0) return forget(sessionId)
    kept.set(panelsKey(sessionId), JSON.stringify({ panels: worth, order, hidden }))
    const sessions = listed()
    if (sessions.at(-1) === sessionId) return
    const next = [...sessions.filter((id) => id !== sessionId), sessionId]
    for (const old of next.splice(0, next.length - maxStoredSessions)) kept.set(panelsKey(old), null)
    kept.set(listKey, JSON.stringify(next))
  }

  function forget(sessionId: string): void {
    const sessions = listed()
    if (!sessions.includes(sessionId)) return
    kept.set(panelsKey(sessionId), null)
    kept.set(listKey, JSON.stringify(sessions.filter((id) => id !== sessionId)))
  }

  function listed(): string[] {
    const value = parseJson(kept.get(listKey))
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
  }
}

function panelsKey(sessionId: string): string {
  return `${listKey}.${sessionId}`
}

function readPanel(value: Record<string, unknown>): Panel[] {
  const kind = textIn(value['kind'])
  if (kind === undefined) return []
  const key = textIn(value['key']) ?? ''
  return [
    {
      id: panelId({ kind, key }),
      kind,
      key,
      title: textIn(value['title']) ?? kind,
      data: isRecord(value['data']) ? value['data'] : {},
      pinned: value['pinned'] === true,
    },
  ]
}

function parseJson(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Not in our format.
    return undefined
  }
}
