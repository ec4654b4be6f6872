import type { BuiltInCommand } from './command.ts'

export const plan: BuiltInCommand = {
  name: 'plan',
  argument: '[what to plan]',
  about: 'Turn on plan mode and plan the task. Nothing is changed until you approve the plan.',
  async run({ session, rest }, { setMode }) {
    if (rest !== '') return { run: {}, mode: 'plan' }
    await setMode(session.id, 'plan')
    return {
      text: 'Plan mode is on. Nothing is changed until you approve a plan. What should be planned?',
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
