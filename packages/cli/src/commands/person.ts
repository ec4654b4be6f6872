import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { count } from '@troupe/server/count'
import { defineCommand, UsageError } from '../shared/command.ts'
import { type Connection, readJson } from '../shared/connect.ts'
import { connectAsOperator } from '../shared/operator.ts'

const usage =
  'expected: troupe person export <email or id> [-o <file>], or troupe person delete <email or id> --yes [--email <address>]'

/** `troupe person export|delete <email or id>`: all data of a member of the team, as a file or gone. */
export const command = defineCommand({
  options: {
    output: { type: 'string', short: 'o' },
    email: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
  async run({ values, positionals }, context) {
    const [action, given, ...more] = positionals
    if (given === undefined || more.length > 0 || (action !== 'export' && action !== 'delete'))
      throw new UsageError(usage)
    if (action === 'delete' && !values.yes)
      throw new UsageError('this deletes chats, keys and shares for good. Add --yes to do it')
    const connection = await connectAsOperator(context)
    try {
      const id = await idOf(connection, given)
      if (action === 'delete') {
        const { chats, blobs } = await connection.call('DELETE /ai/people/:id/data', {
          params: { id },
          query: { email: values.email ?? (given.includes('@') ? given : undefined) },
        })
        context.stdout.write(`Deleted ${count(chats, 'chat')} and ${count(blobs, 'file')}.\n`)
        return 0
      }
      const response = await connection.fetch(`/ai/people/${encodeURIComponent(id)}/data`)
      if (!response.ok || response.body === null) {
        await readJson(response)
        return 1
      }
      const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
      if (values.output === undefined) for await (const part of body) context.stdout.write(part as Uint8Array)
      else await pipeline(body, createWriteStream(path.resolve(context.cwd, values.output), { mode: 0o600 }))
      return 0
    } finally {
      await connection.close()
    }
  },
})

/** Ids are for programs. People know the address of a member. */
async function idOf({ call }: Connection, given: string): Promise<string> {
  if (!given.includes('@')) return given
  const { members } = await call('GET /ai/members')
  const found = members.find(({ email }) => email?.toLowerCase() === given.toLowerCase())
  if (found === undefined) throw new UsageError(`no member has the address ${given}`)
  return found.id
}
