import type { BuiltInCommand } from './command.ts'

export const agent: BuiltInCommand = {
  name: 'agent',
  argument: '[name]',
  about: 'Says which agent answers, or sets another for this session.',
  async run({ session, workspace, rest }, { agentBook, store }) {
    if (rest === '') {
      const agents = (await agentBook.list(workspace)).filter(({ enabled, hidden }) => enabled && hidden !== true)
      return {
        text: [
          `\`${session.agent ?? 'master'}\` answers here. \`/agent <name>\` sets another of these:`,
          '',
          ...agents.map(({ name, description }) => `- \`${name}\`: ${description}`),
        ].join('\n'),
      }
    }
    const { name } = await agentBook.find(workspace, rest.replace(/^@/, ''))
    await store.sessions.update(session.id, { agent: name })
    return {
      text: `The agent \`${name}\` answers from now on.`,
      chunks: [
        {
          type: 'data-ui-event',
          data: { name: 'session-agent', data: { sessionId: session.id, agent: name } },
          transient: true,
        },
      ],
    }
  },
}
