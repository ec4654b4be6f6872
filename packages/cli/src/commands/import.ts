import { createReadStream, statSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { importLineSchema, type FileImportReport, NamedError } from '@troupe/protocol'
import { count } from '@troupe/server/count'
import { lockHome, openHome } from '@troupe/server/home'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { connect, readJson } from '../shared/connect.ts'

/**
 * Imports a file of another program, or one of ours, through the process that owns the home. Resolves to the exit code.
 */
async function importUpload(context: CommandContext, file: string, workspace?: string): Promise<number> {
  const connection = await connect(context, { workspace })
  try {
    const body = Readable.toWeb(createReadStream(file)) as ReadableStream
    const response = await connection.fetch('/ai/sessions/import', {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit)
    if (!response.ok || response.body === null) {
      await readJson(response)
      return 1
    }
    const { sessions, problems } = await readReport(response.body)
    for (const { where, message } of problems) printNotice(context, `${where}: ${message}`)
    for (const { sessionId, title, source, state, added } of sessions) {
      const what = { added: `${count(added, 'message')}`, grown: `${added} more`, known: 'already there' }[state]
      context.stdout.write(`${sessionId}  ${title} (${source}, ${what})\n`)
    }
    context.stdout.write(`${count(sessions.length, 'session')}, ${count(problems.length, 'problem')}\n`)
    return sessions.length === 0 && problems.length > 0 ? 1 : 0
  } finally {
    await connection.close()
  }
}

async function readReport(body: ReadableStream): Promise<FileImportReport> {
  const lines = createInterface({ input: Readable.fromWeb(body as never) })
  for await (const text of lines) {
    const line = importLineSchema.parse(JSON.parse(text))
    if ('error' in line) throw new NamedError(line.error.name, line.error.message)
    if ('report' in line) return line.report
  }
  throw new NamedError(
    'BadAnswer',
    'The server stopped during the import. Import again; chats that are already there are not duplicated.',
  )
}

/**
 * `troupe import <file|folder>`: restores exported sessions into the store of this folder's workspace, and converts
 * files of other programs to sessions.
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
      throw new NamedError('HomeOwned', `Another Troupe is using ${home.path}${where}. Stop it, then import again.`)
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
            `${sessionId}: ${added} added, ${skipped} already there, ${conflicts.length} different and kept\n`,
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

/** Accepts a whole home and imports its sessions. */
function sessionsIn(folder: string): string {
  const inside = path.join(folder, 'sessions')
  if (statSync(inside, { throwIfNoEntry: false })?.isDirectory()) return inside
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${folder} is neither a file nor a folder`)
  return folder
}
