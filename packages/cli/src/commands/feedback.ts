import type { ListedFeedback } from '@troupe/protocol'
import { count } from '@troupe/server/count'
import { defineCommand, UsageError } from '../shared/command.ts'
import { connect } from '../shared/connect.ts'

/** `troupe feedback [--rating up|down] [--session <id>] [--json]`: lists rated answers, as JSON one per line. */
export const command = defineCommand({
  options: {
    json: { type: 'boolean', default: false },
    rating: { type: 'string' },
    session: { type: 'string' },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const rating = readRating(values.rating)
    if (positionals.length > 0)
      throw new UsageError('expected: troupe feedback [--rating up|down] [--session <id>] [--json]')
    const connection = await connect(context, { workspace: values.workspace })
    try {
      let cursor: string | undefined
      let total = 0
      do {
        const page = await connection.call('GET /ai/feedback', {
          query: { rating, sessionId: values.session, cursor, limit: 200 },
        })
        for (const one of page.feedback)
          context.stdout.write(values.json ? `${JSON.stringify(one)}\n` : `${describe(one)}\n`)
        total += page.feedback.length
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      if (!values.json) context.stdout.write(`${count(total, 'rated answer')}\n`)
      return 0
    } finally {
      await connection.close()
    }
  },
})

function readRating(given: string | undefined): 'up' | 'down' | undefined {
  if (given === undefined || given === 'up' || given === 'down') return given
  throw new UsageError('--rating is up or down')
}

function describe({ rating, reasons, text, model, sessionId, messageId, at }: ListedFeedback): string {
  const why = [...reasons, ...(text === undefined ? [] : [JSON.stringify(text)])].join(', ')
  const facts = [new Date(at).toISOString(), model ?? 'unknown model', `${sessionId}/${messageId}`].join('  ')
  return `${rating === 'up' ? '+' : '-'} ${facts}${why === '' ? '' : `  ${why}`}`
}
