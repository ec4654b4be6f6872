export interface DroppedFile {
  /** Relative to the folder that it is dropped on. */
  path: string
  file: File
}

/** More are a mistake, or a job for another program. */
const maxFiles = 2000

/** Files of a drop or a file dialog, with those in dropped folders. */
export async function collectDropped(dropped: DataTransfer | FileList): Promise<DroppedFile[]> {
  if (!('items' in dropped)) return [...dropped].map((file) => ({ path: file.name, file }))
  // The items are gone after the event, so read all entries first.
  const entries = [...dropped.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return [...dropped.files].map((file) => ({ path: file.name, file }))
  const found: DroppedFile[] = []
  for (const entry of entries) await walk(entry, '')
  return found

  async function walk(entry: FileSystemEntry, above: string): Promise<void> {
    if (found.length >= maxFiles) return
    const path = above + entry.name
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
      found.push({ path, file })
    } else if (isDirectory(entry)) {
      const reader = entry.createReader()
      for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
        if (some.length === 0) return
        for (const one of some) await walk(one, `${path}/`)
      }
    }
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
