import type { ComponentType } from 'react'
import { isRecord, recordsIn, textIn } from '../api/read-fields.ts'
import type { KeyValueStorage } from '../platform/storage.ts'

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

/** Something that stands beside the chat, as a tab of the stack. */
export interface Panel {
  /** Of its kind and key: the same thing is opened once. */
  id: string
  /** The name of its file in `kinds/`. */
  kind: string
  /** What of this kind it is: a path, an address, the id of an agent. */
  key: string
  title: string
  /** JSON, kept over a reload: a kind reads it with care, it may come from another version of the page. */
  data: Record<string, unknown>
  /** Stands first, and does not make room for others. */
  pinned: boolean
}

/** What is asked to be shown. The same kind and key again brings the panel forward, with the new title and data. */
export interface PanelRequest {
  kind: string
  /** Default: there is one of this kind. */
  key?: string
  title: string
  data?: Record<string, unknown>
}

export interface PanelProps {
  panel: Panel
}

/** What a file of `kinds/` exports. */
export interface PanelKind {
  default: ComponentType<PanelProps>
  /** The picture of its tab. */
  Icon?: ComponentType
  /** It goes on living, unseen, while another is in front: a page that a person has changed, a running preview. */
  staysAlive?: boolean
}

const listKey = 'troupe.panels'
const maxStoredSessions = 40
/** What is larger is there until the page is reloaded. */
const maxDataLength = 60_000

/** The stacks of the sessions that were last worked with, over reloads. */
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
    return { panels, order, hidden: value['hidden'] === true, asked: 0 }
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
    // Written by something else.
    return undefined
  }
}
