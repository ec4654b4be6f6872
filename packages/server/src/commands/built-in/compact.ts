import type { BuiltInCommand } from './command.ts'

export const compact: BuiltInCommand = {
  name: 'summary-history',
  aliases: ['compact'],
  about: 'Summarize earlier messages to save context. They stay visible.',
  run: () => ({ run: { compact: true } }),
}
