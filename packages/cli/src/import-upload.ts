import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { NamedError } from '@troupe/core/error'
import { printNotice, type CommandContext } from './command.ts'
import { connect, readJson } from './connect.ts'
import { count } from '@troupe/server/count'

interface ImportReport {
  sessions: { sessionId: string; title: string; source: string; state: 'added' | 'grown' | 'known'; added: number }[]
  problems: { where: string; message: string }[]
}

/** Imports a file of another program, or one of ours, through whoever owns the home. Resolves to the exit code. */
export async function importUpload(context: CommandContext, file: string, workspace?: string): Promise<number> {
  const connection = await connect(context, { ...(workspace !== undefined && { workspace }) })
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
      const what = { added: `${count(added, 'message')}`, grown: `${added} more`, known: 'there already' }[state]
      context.stdout.write(`${sessionId}  ${title} (${source}, ${what})\n`)
    }
    context.stdout.write(`${count(sessions.length, 'session')}, ${count(problems.length, 'problem')}\n`)
    return sessions.length === 0 && problems.length > 0 ? 1 : 0
  } finally {
    await connection.close()
  }
}

async function readReport(body: ReadableStream): Promise<ImportReport> {
  const lines = createInterface({ input: Readable.fromWeb(body as never) })
  for await (const line of lines) {
    const { report, error } = JSON.parse(line) as { report?: ImportReport; error?: { name: string; message: string } }
    if (error !== undefined) throw new NamedError(error.name, error.message)
    if (report !== undefined) return report
  }
  throw new NamedError(
    'BadAnswer',
    'The server went away while it imported. Import again: what is there is not doubled.',
  )
}
