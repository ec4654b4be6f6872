import type { BuiltInCommand } from './command.ts'

export const model: BuiltInCommand = {
  name: 'model',
  argument: '[provider/model]',
  about: 'Show or change the model for this chat.',
  async run({ session, rest }, { models, store }) {
    if (rest === '') {
      const { id } = await models.resolveChatModel(session.model ?? undefined)
      const usable = (await models.listModels()).filter((one) => one.usable).map(({ ref }) => `- \`${ref}\``)
      const left = usable.length - 40
      return {
        text: [
          `This chat uses the model \`${id}\`. To change it, type \`/model <name>\` with one of these:`,
          '',
          ...usable.slice(0, 40),
          ...(left > 0 ? [`- and ${left} more`] : []),
        ].join('\n'),
      }
    }
    const { id } = await models.resolveChatModel(rest)
    await store.sessions.update(session.id, { model: id })
    return {
      text: `This chat now uses the model \`${id}\`.`,
      chunks: [
        {
          type: 'data-ui-event',
          data: { name: 'session-model', data: { sessionId: session.id, model: id } },
          transient: true,
        },
      ],
    }
  },
}
