import type { BuiltInCommand } from './command.ts'

export const agent: BuiltInCommand = {
  name: 'agent',
  argument: '[name]',
  about: 'Show or change the agent for this chat.',
  async run({ session, workspace, rest }, { agents, store }) {
    if (rest === '') {
      const offered = (await agents.list(workspace)).filter(({ enabled, hidden }) => enabled && hidden !== true)
      return {
        text: [
          `This chat uses the agent \`${session.agent ?? 'master'}\`. To change it, type \`/agent <name>\` with one of these:`,
          '',
          ...offered.map(({ name, description }) => `- \`${name}\`: ${description}`),
        ].join('\n'),
      }
    }
    const { name } = await agents.find(workspace, rest.replace(/^@/, ''))
    await store.sessions.update(session.id, { agent: name })
    return {
      text: `This chat now uses the agent \`${name}\`.`,
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
