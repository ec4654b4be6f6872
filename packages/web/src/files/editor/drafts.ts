/** Unsaved text of a file, with the content that it was made from. */
export interface FileDraft {
  text: string
  base: string
  version: string | null
  savedAt: number
}

const maxDrafts = 50

/** Keeps unsaved changes in the browser's database, which holds more than its simple storage. Never throws. */
export interface FileDrafts {
  read(folder: string, path: string): Promise<FileDraft | undefined>
  write(folder: string, path: string, draft: FileDraft): Promise<void>
  remove(folder: string, path: string): Promise<void>
}

export const fileDrafts: FileDrafts = {
  async read(folder, path) {
    const found: unknown = await withStore('readonly', (store) => store.get(keyOf(folder, path))).catch(() => undefined)
    return isDraft(found) ? found : undefined
  },
  async write(folder, path, draft) {
    try {
      await withStore('readwrite', (store) => store.put(draft, keyOf(folder, path)))
      await dropOldest()
    } catch {
      // Storage is blocked or full. The text is still in the editor.
    }
  },
  async remove(folder, path) {
    await withStore('readwrite', (store) => store.delete(keyOf(folder, path))).catch(() => undefined)
  },
}

function keyOf(folder: string, path: string): string {
  return `${folder}\n${path}`
}

async function dropOldest(): Promise<void> {
  const keys = await withStore('readonly', (store) => store.getAllKeys())
  if (keys.length <= maxDrafts) return
  const drafts: [IDBValidKey, number][] = []
  for (const key of keys) {
    const draft: unknown = await withStore('readonly', (store) => store.get(key))
    drafts.push([key, isDraft(draft) ? draft.savedAt : 0])
  }
  const old = drafts.toSorted((a, b) => a[1] - b[1]).slice(0, keys.length - maxDrafts)
  for (const [key] of old) await withStore('readwrite', (store) => store.delete(key))
}

function isDraft(value: unknown): value is FileDraft {
  return typeof value === 'object' && value !== null && 'text' in value && 'base' in value && 'version' in value
}

function withStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('troupe-drafts', 1)
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('files'))
    opening.addEventListener('error', () => reject(opening.error ?? new Error('no storage')))
    opening.addEventListener('success', () => {
      const database = opening.result
      const request = work(database.transaction('files', mode).objectStore('files'))
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => reject(request.error ?? new Error('no storage')))
      database.close()
    })
  })
}
