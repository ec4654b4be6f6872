import type { BuiltInCommand } from './command.ts'

export const model: BuiltInCommand = {
  name: 'model',
  argument: '[provider/model]',
  about: 'Says which model answers, or sets another for this session.',
  async run({ session, rest }, { models, store }) {
    if (rest === '') {
      const { id } = await models.resolveChatModel(session.model ?? undefined)
      const usable = (await models.listModels()).filter((one) => one.usable).map(({ ref }) => `- \`${ref}\``)
      const left = usable.length - 40
      return {
        text: [
          `\`${id}\` answers here. \`/model <name>\` sets another of these:`,
          '',
          ...usable.slice(0, 40),
          ...(left > 0 ? [`- and ${left} more`] : []),
        ].join('\n'),
      }
    }
    const { id } = await models.resolveChatModel(rest)
    await store.sessions.update(session.id, { model: id })
    return {
      text: `\`${id}\` answers from now on.`,
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
