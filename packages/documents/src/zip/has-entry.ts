import type { DocumentSource } from '../reader.ts'
import { openZipFile } from './zip-file.ts'

/** True if the file is a zip with an entry of this name. False for damaged ones. */
export async function hasZipEntry(head: Buffer, { path }: DocumentSource, name: RegExp): Promise<boolean> {
  if (head.toString('latin1', 0, 2) !== 'PK') return false
  try {
    const zip = await openZipFile(path)
    try {
      return zip.entries.some((entry) => name.test(entry.name))
    } finally {
      await zip.close()
    }
  } catch {
    return false
  }
}
