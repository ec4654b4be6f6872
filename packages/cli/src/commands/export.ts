import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { connect, readJson } from '../shared/connect.ts'

/** `troupe export <session>`: writes the session to stdout or to `--output`. */
export const command = defineCommand({
  options: {
    format: { type: 'string' },
    branch: { type: 'string' },
    lang: { type: 'string' },
    output: { type: 'string', short: 'o' },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const [sessionId, ...more] = positionals
    if (sessionId === undefined || more.length > 0) throw new UsageError('expected: troupe export <session>')
    const format = values.format ?? (values.output === undefined ? 'md' : path.extname(values.output).slice(1) || 'md')
    if (!['md', 'json', 'html'].includes(format)) throw new UsageError('the format must be md, json or html')
    const connection = await connect(context, {
      workspace: values.workspace,
    })
    try {
      const query = new URLSearchParams({
        format,
        ...(values.branch !== undefined && { branch: values.branch }),
        ...(values.lang !== undefined && { lang: values.lang }),
      })
      const response = await connection.fetch(
        `/ai/sessions/${encodeURIComponent(sessionId)}/export?${query.toString()}`,
      )
      if (!response.ok || response.body === null) {
        await readJson(response)
        return 1
      }
      const body = Readable.fromWeb(response.body as never)
      if (values.output === undefined) {
        for await (const piece of body) if (!context.stdout.write(piece as Uint8Array)) await drained(context.stdout)
        return 0
      }
      const file = path.resolve(context.cwd, values.output)
      await pipeline(body, createWriteStream(file, { flags: 'wx' })).catch((error: unknown) => {
        throw (error as NodeJS.ErrnoException).code === 'EEXIST'
          ? new Error(`${file} already exists; choose another file`)
          : error
      })
      printNotice(context, `wrote ${file}`)
      return 0
    } finally {
      await connection.close()
    }
  },
})

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve))
}
