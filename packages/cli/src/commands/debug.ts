import { inspect } from 'node:util'
import { count } from '@troupe/server/count'
import { defineCommand, UsageError } from '../shared/command.ts'
import type { Answered } from '@troupe/protocol'
import { connect } from '../shared/connect.ts'

type DebugView = Answered<'GET /ai/debug/:sessionId'>

/** `troupe debug <sessionId> [messageId]`: shows how an answer was produced. */
export const command = defineCommand({
  options: { json: { type: 'boolean', default: false }, workspace: { type: 'string' } },
  async run({ values, positionals }, context) {
    const [sessionId, messageId, ...more] = positionals
    if (sessionId === undefined || more.length > 0)
      throw new UsageError('expected: troupe debug <sessionId> [messageId]')
    const connection = await connect(context, {
      workspace: values.workspace,
    })
    try {
      const view = await connection.call('GET /ai/debug/:sessionId', { params: { sessionId }, query: { messageId } })
      context.stdout.write(values.json ? `${JSON.stringify(view)}\n` : describe(view, context.stdout.isTTY))
      return 0
    } finally {
      await connection.close()
    }
  },
})

function describe({ session, chain, projection, runs, strays }: DebugView, colors: boolean): string {
  const show = (value: unknown): string =>
    inspect(value, { depth: 20, colors, breakLength: 120, maxStringLength: 2000, maxArrayLength: 1000 })
  const lines = [
    `# Session ${session.id}: ${session.title}`,
    `model ${session.model ?? '(default)'}, ${count(chain.length, 'message')} to here`,
    '',
    '# Chain',
  ]
  for (const message of chain) {
    lines.push(
      '',
      `## ${message.role} ${message.id} (below ${message.parentMessageId ?? 'nothing'})`,
      ...message.parts.map(show),
    )
    if (message.metadata !== undefined) lines.push(`metadata ${show(message.metadata)}`)
  }
  if (strays.length > 0) lines.push('', `# Messages that no branch reaches: ${strays.map(({ id }) => id).join(', ')}`)
  lines.push('', '# Prompt for the model', show(projection), '', '# Runs that wrote the last answer')
  for (const run of runs) {
    const ended = run.endedAt === null ? 'not ended' : `${run.endedAt - run.createdAt} ms`
    lines.push('', `## ${run.id}: ${run.status}, started ${new Date(run.createdAt).toISOString()}, ${ended}`)
    for (const frame of run.frames)
      lines.push(`${frame.from}-${frame.to}`, ...frame.items.map((item) => `  ${show(item)}`))
  }
  return `${lines.join('\n')}\n`
}
