const listeners = new Set<() => void>()

/** Opens the search of the session in sight, for those that are not part of it. */
export function openFind(): void {
  for (const listener of listeners) listener()
}

export function onFind(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
