/** What an archive or a folder has, as it says itself: nothing of it is believed yet. */
export interface ArchiveEntry {
  name: string
  /** `other`: a device or a pipe; no skill may have one. */
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Where a link leads, from the folder that it lies in; from the root of the archive where `fromRoot`. */
  target?: { path: string; fromRoot?: true }
  executable: boolean
  /** As many bytes as it will have. */
  size: number
  read(): Uint8Array
}

export const importLimits = {
  entries: 20_000,
  skillEntries: 2000,
  fileBytes: 10 * 1024 * 1024,
  allBytes: 50 * 1024 * 1024,
  archiveBytes: 50 * 1024 * 1024,
  /** How many times as large as the archive what is in it may be, above the first MiB. */
  ratio: 100,
  depth: 16,
} as const

/** What is wrong with an archive as a whole. */
export class ImportRefused extends Error {}

/** Throws what is wrong with an entry; `name` is what to call it. */
export function refuseImport(name: string, why: string): never {
  // oxlint-disable-next-line no-control-regex
  throw new ImportRefused(
    `"${name.replace(/[\u0000-\u001f\u007f]/g, '?').slice(0, 200)}" ${why}. Nothing was imported.`,
  )
}

/** The parts of a name that stays within the folder it is unpacked into, on every system. Throws for any other. */
export function checkName(name: string): string[] {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(name)) refuseImport(name, 'has a character in its name that no file should have')
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) refuseImport(name, 'is an absolute path')
  const parts = name.replace(/\/+$/, '').split('/')
  const own = parts[0] === '.' ? parts.slice(1) : parts
  if (own.some((part) => part === '..')) refuseImport(name, 'leads out of the folder')
  if (own.some((part) => part === '' || part === '.' || part.length > 255)) refuseImport(name, 'is not a plain path')
  if (own.length > importLimits.depth) refuseImport(name, `is more than ${importLimits.depth} folders deep`)
  return own
}
