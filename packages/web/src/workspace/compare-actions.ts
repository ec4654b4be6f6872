import type { StoreApi } from 'zustand/vanilla'
import type { KeyValueStorage } from '../platform/storage.ts'
import type { AppState } from './app-state.ts'

export const maxCompared = 4

export interface CompareActions {
  /** Sets the models that answer the next messages of the current chat side by side. An empty list ends comparing. */
  compareModels: (refs: readonly string[]) => void
  setKeepsComparing: (keeps: boolean) => void
  /** Models to compare in a chat. Undefined if fewer than two are available. */
  comparedModels: (sessionId: string) => readonly string[] | undefined
  /** The chat continues with this model. It compares no longer, unless the user keeps comparing. */
  modelPicked: (sessionId: string, ref: string) => void
}

const comparedKey = (sessionId: string) => `troupe.compare.${sessionId}`
const keepsKey = 'troupe.compare-again'

export function keepsComparing(storage: KeyValueStorage): boolean {
  return storage.get(keepsKey) === 'yes'
}

/** Models chosen in this browser, also before a reload. */
export function comparedIn(state: Pick<AppState, 'compared'>, sessionId: string, storage: KeyValueStorage): string[] {
  return state.compared[sessionId] ?? (storage.get(comparedKey(sessionId)) ?? '').split('\n').filter(Boolean)
}

export function forgetCompared(storage: KeyValueStorage, sessionId: string): void {
  storage.set(comparedKey(sessionId), null)
}

export function createCompareActions(
  { getState, setState }: StoreApi<AppState>,
  storage: KeyValueStorage,
): CompareActions {
  return { compareModels, setKeepsComparing, comparedModels, modelPicked }

  function compareModels(refs: readonly string[]): void {
    choose(getState().sessionId, [...new Set(refs)].slice(0, maxCompared))
  }

  function choose(sessionId: string, refs: string[]): void {
    storage.set(comparedKey(sessionId), refs.length === 0 ? null : refs.join('\n'))
    setState(({ compared }) => ({ compared: { ...compared, [sessionId]: refs } }))
  }

  function setKeepsComparing(keeps: boolean): void {
    storage.set(keepsKey, keeps ? 'yes' : null)
    setState({ keepsComparing: keeps })
  }

  function comparedModels(sessionId: string): readonly string[] | undefined {
    const listed = new Set(getState().models.map(({ ref }) => ref))
    const refs = comparedIn(getState(), sessionId, storage).filter((ref) => listed.has(ref))
    return refs.length < 2 ? undefined : refs
  }

  function modelPicked(sessionId: string, ref: string): void {
    setState(({ chosenModels }) => ({ chosenModels: { ...chosenModels, [sessionId]: ref } }))
    if (!getState().keepsComparing) choose(sessionId, [])
  }
}
