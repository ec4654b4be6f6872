import { makeTitle } from '@troupe/core'
import type { BuiltInCommand } from './command.ts'

export const summaryTitle: BuiltInCommand = {
  name: 'summary-title',
  argument: '[hint]',
  about: 'Generate a title for this chat.',
  async run({ session, workspace, rest, chain }, { models, spending, store }) {
    const { id, model, definition, local } = await models.resolveChatModel(session.model ?? undefined)
    const guard = spending.guard({ id, price: definition.price, local }, workspace)
    const title = await makeTitle(chain.slice(0, -1), model, rest, { guard })
    await store.sessions.update(session.id, { title })
    return {
      text: `The title is now “${title}”.`,
      chunks: [{ type: 'data-session-title', data: { title }, transient: true }],
    }
  },
}
