import type { BuiltInCommand } from './command.ts'

export const plan: BuiltInCommand = {
  name: 'plan',
  argument: '[what to plan]',
  about: 'Goes into plan mode, in which nothing is changed but the plan, and plans what follows.',
  async run({ session, rest }, { setMode }) {
    if (rest !== '') return { run: {}, mode: 'plan' }
    await setMode(session.id, 'plan')
    return {
      text: 'Plan mode is on: nothing is changed until you accept a plan. Say what is to be planned.',
      chunks: [
        {
          type: 'data-ui-event',
          data: { name: 'session-mode', data: { sessionId: session.id, mode: 'plan' } },
          transient: true,
        },
      ],
    }
  },
}
