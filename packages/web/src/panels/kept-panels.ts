import type { KeyValueStorage } from '../api/kept.ts'
import { isRecord, recordsIn, textIn } from '../displays/parts/read-fields.ts'
import type { Panel } from './panel.ts'
import { noPanels, panelId } from './panels-state.ts'
import type { PanelsState } from './panels-state.ts'

const listKey = 'troupe.panels'
const maxStoredSessions = 40
/** What is larger is there until the page is reloaded. */
const maxDataLength = 60_000

/** The stacks of the sessions that were last worked with, over reloads. */
export interface PanelStorage {
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
