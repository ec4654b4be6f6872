import type { PanelKind } from './panel.ts'

// The folder is the registry, the file name is the kind: `kinds/file.tsx` shows panels of kind `file`.
const kindFiles = import.meta.glob<PanelKind>('./kinds/*.tsx')
const loading = new Map<string, Promise<PanelKind | undefined>>()

/** Loaded when the first panel of the kind is there; undefined where the page has no such kind. */
export function loadKind(kind: string): Promise<PanelKind | undefined> {
  const known = loading.get(kind)
  if (known !== undefined) return known
  const load = kindFiles[`./kinds/${kind}.tsx`]
  const loaded = load === undefined ? Promise.resolve(undefined) : load()
  loading.set(kind, loaded)
  // The server was away: the next look tries again.
  loaded.catch(() => loading.delete(kind))
  return loaded
}
