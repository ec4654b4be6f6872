import { cp, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isId } from '@troupe/core'

/** Copies of readable files that knew more than the database, in the home. */
export const backupFolder = 'kept'

/** Copies the readable files of a session out of the way of the export. Gives the copy's folder. */
export async function backUpNewerFiles(sessionsFolder: string, sessionId: string): Promise<string> {
  const source = join(sessionsFolder, sessionId)
  const target = join(dirname(sessionsFolder), backupFolder, new Date().toISOString().replaceAll(':', '-'), sessionId)
  const isReadable = (file: string): boolean => !/^(?:output|jsx)$/.test(basename(file)) || dirname(file) !== source
  await cp(source, target, { recursive: true, filter: isReadable })
  return target
}

/** The ids of all sessions that have a folder, whether or not the database knows them. */
export async function exportedSessions(sessionsFolder: string): Promise<string[]> {
  try {
    const entries = await readdir(sessionsFolder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory() && isId(entry.name)).map((entry) => entry.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
