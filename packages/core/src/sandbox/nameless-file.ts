import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A file that is on no disk once this returns: the path by which our children can open it while this process lives. */
export function unlinkedFile(content: Buffer): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-file-'))
  try {
    const file = path.join(folder, 'file')
    writeFileSync(file, content, { mode: 0o600 })
    return `/proc/${process.pid}/fd/${openSync(file, 'r')}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}
