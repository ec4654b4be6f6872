import type { BuiltInCommand } from './command.ts'

export const compact: BuiltInCommand = {
  name: 'summary-history',
  aliases: ['compact'],
  about: 'Puts the older part of the conversation in fewer words for the model. It stays here to be read.',
  run: () => ({ run: { compact: true } }),
}
