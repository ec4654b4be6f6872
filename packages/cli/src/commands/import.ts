import { statSync } from 'node:fs'
import path from 'node:path'
import { NamedError } from '@troupe/core/error'
import { lockHome, openHome } from '@troupe/server/home'
import { defineCommand, printNotice, UsageError } from '../command.ts'
import { count } from '@troupe/server/count'
import { importUpload } from '../import-upload.ts'

/**
 * `troupe import <file|folder>`: exported sessions come back into the store of this folder's workspace, and files of
 * other programs become sessions.
 */
export const command = defineCommand({
  options: { workspace: { type: 'string' } },
  async run({ values, positionals }, context) {
    const [given, ...more] = positionals
    if (given === undefined || more.length > 0) throw new UsageError('expected: troupe import <file|folder>')
    const place = path.resolve(context.cwd, given)
    if (statSync(place, { throwIfNoEntry: false })?.isFile()) return importUpload(context, place, values.workspace)
    const folder = sessionsIn(place)
    const home = openHome({ env: context.env })
    const lock = lockHome(home)
    if ('ownedBy' in lock) {
      const where =
        lock.ownedBy === undefined ? '' : ` (pid ${lock.ownedBy.pid}${lock.ownedBy.url ? `, ${lock.ownedBy.url}` : ''})`
      throw new NamedError('HomeOwned', `Another troupe works in ${home.path}${where}. End it first, then import.`)
    }
    try {
      const [{ openSqliteStore }, { importSessions }] = await Promise.all([
        import('@troupe/server/store'),
        import('@troupe/server/import-sessions'),
      ])
      const store = await openSqliteStore({ home: home.path })
      try {
        const workspace = await store.workspaces.open(path.resolve(context.cwd, values.workspace ?? '.'))
        const { sessions, problems } = await importSessions(store, folder, { workspaceId: workspace.id })
        await store.exported()
        for (const problem of problems)
          printNotice(
            context,
            `${problem.file}${problem.line === undefined ? '' : `, line ${problem.line}`}: ${problem.message}`,
          )
        for (const { sessionId, added, skipped, conflicts } of sessions) {
          context.stdout.write(
            `${sessionId}: ${added} added, ${skipped} there already, ${conflicts.length} there but different\n`,
          )
        }
        context.stdout.write(`${count(sessions.length, 'session')}, ${count(problems.length, 'problem')}\n`)
        return sessions.length === 0 && problems.length > 0 ? 1 : 0
      } finally {
        await store.close()
      }
    } finally {
      lock.release()
    }
  },
})

/** A whole home is taken for the sessions in it. */
function sessionsIn(folder: string): string {
  const inside = path.join(folder, 'sessions')
  if (statSync(inside, { throwIfNoEntry: false })?.isDirectory()) return inside
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${folder} is neither a file nor a folder`)
  return folder
}
