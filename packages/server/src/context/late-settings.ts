import type { Store } from '@troupe/core'

/** Settings for which no turn waits: they are written together a moment later, and a crash may lose the last of them. */
export interface LateSettings {
  get(key: string): Promise<unknown>
  /** `undefined` takes it away. */
  set(key: string, value: unknown): void
  /** Writes now what is not written yet, and waits for what is just being written. */
  write(): Promise<void>
}

export function createLateSettings(
  store: Pick<Store, 'settings' | 'transaction'>,
  { intervalMs = 250, onError }: { intervalMs?: number; onError: (error: unknown) => void },
): LateSettings {
  const unwritten = new Map<string, unknown>()
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  return {
    async get(key) {
      return unwritten.has(key) ? unwritten.get(key) : store.settings.get(key)
    },
    set(key, value) {
      unwritten.set(key, value)
      timer ??= setTimeout(() => void write(), intervalMs)
    },
    write,
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    const taken = [...unwritten]
    if (taken.length === 0) return
    try {
      await store.transaction(async (inside) => {
        for (const [key, value] of taken) await inside.settings.set(key, value)
      })
    } catch (error) {
      // They stay, and go with the next ones.
      onError(error)
      return
    }
    for (const [key, value] of taken) if (unwritten.get(key) === value) unwritten.delete(key)
  }
}
