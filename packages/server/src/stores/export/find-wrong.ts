import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { streamFile } from '../sql/context.ts'

export interface StaleExportQuery {
  database: string
  folder: string
  hiddenWorkspace: string
}

/** Returns sessions whose files are missing or differ in size from the stored one. Checks every file synchronously. */
export function findStaleExports({ database: path, folder, hiddenWorkspace }: StaleExportQuery): string[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const rows = database
      .prepare(
        `select session.id, stream, size from session left join export_state on session_id = session.id
        where workspace_id <> ?`,
      )
      .iterate(hiddenWorkspace) as Iterable<{ id: string; stream: string | null; size: number | null }>
    const wrong = new Set<string>()
    for (const { id, stream, size } of rows) {
      if (wrong.has(id)) continue
      const isRight =
        stream !== null &&
        (sizeOf(join(folder, id, streamFile(stream))) ?? 0) === size &&
        sizeOf(join(folder, id, 'session.json')) !== undefined
      if (!isRight) wrong.add(id)
    }
    return [...wrong]
  } finally {
    database.close()
  }
}

function sizeOf(file: string): number | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isFile() === true ? stats.size : undefined
}
