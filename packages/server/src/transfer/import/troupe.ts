import { createHash } from 'node:crypto'
import type { AgentRecord, Ask } from '@troupe/core'
import type { z } from 'zod'
import {
  agentSchema,
  askSchema,
  importedSettings,
  messageSchema,
  sessionSchema,
} from '../../stores/exported-schemas.ts'
import { cleanTitle, defaultTitle } from '../../stores/sql/message-text.ts'
import type { ImportedSession, Importer, ImportFiles } from './importer.ts'
import { list, record, text } from './message-parts.ts'

export const sessionFormat = 'troupe-session'

/**
 * A session exported by Troupe as JSON. As with folders, allow rules are dropped, since anyone can write such a file,
 * and deny rules are kept. Open asks are closed.
 */
export const troupe: Importer = {
  name: 'Troupe',
  accepts: (entry) => record(entry)['format'] === sessionFormat,
  async read(entry, files) {
    const given = record(entry)
    if (given['version'] !== 1)
      throw new Error('it was exported by a newer version of Troupe; use that version to import it')
    const { id, ...said } = parseWith(sessionSchema, given['session'])
    if (id === undefined) throw new Error('session.id: it has no id')
    await storeBlobs(given['blobs'], files)
    const messages = await readMessages('', given['messages'], files)
    const agents: AgentRecord[] = []
    for (const value of list(given['agents']).map(record)) {
      const agentId = text(value['agentId'])
      const taken = parseOrReport(agentSchema, value, files, `agent ${agentId}`)
      if (taken !== undefined) agents.push({ ...taken, sessionId: id, agentId })
      for (const message of await readMessages(agentId, value['messages'], files)) messages.push(message)
    }
    const asks = list(given['asks']).flatMap((value): Ask[] => {
      const ask = parseOrReport(askSchema, value, files, `ask ${text(record(value)['id'])}`)
      return ask === undefined ? [] : [{ ...ask, sessionId: id, closedAt: ask.closedAt ?? ask.createdAt } as Ask]
    })
    const createdAt = said.createdAt ?? messages[0]?.message.createdAt ?? 0
    const session: ImportedSession['session'] = {
      id,
      title: cleanTitle(said.title ?? '') || defaultTitle,
      folder: said.folder ?? [],
      trashedAt: null,
      ...importedSettings(said, createdAt),
    }
    return { session, agents, messages, asks }
  },
}

async function readMessages(agentId: string, given: unknown, files: ImportFiles): Promise<ImportedSession['messages']> {
  const found: ImportedSession['messages'] = []
  for (const value of list(given)) {
    await files.breathe()
    const message = parseOrReport(messageSchema, value, files, `message ${text(record(value)['id'])}`)
    if (message !== undefined) found.push({ agentId, message })
  }
  return found
}

async function storeBlobs(given: unknown, files: ImportFiles): Promise<void> {
  for (const [sha256, value] of Object.entries(record(given))) {
    const { mediaType, base64 } = record(value)
    const bytes = Buffer.from(text(base64), 'base64')
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      files.report(`blob ${sha256.slice(0, 64)}: its content does not match its hash`)
    else await files.blobs.put(bytes, text(mediaType) || 'application/octet-stream')
  }
}

function parseOrReport<T>(schema: z.ZodType<T>, value: unknown, files: ImportFiles, what: string): T | undefined {
  try {
    return parseWith(schema, value)
  } catch (error) {
    files.report(`${what.slice(0, 100)}: ${(error as Error).message}`)
    return undefined
  }
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(
    issue ? `${issue.path.map(String).join('.') || 'entry'}: ${issue.message}` : 'not in the expected format',
  )
}
