import { newId } from '@troupe/protocol'
import type { BuiltInCommand } from './command.ts'

export const clear: BuiltInCommand = {
  name: 'clear',
  about: 'Begins anew: the model is told nothing of what came before. It stays here to be read.',
  run({ userMessageId }) {
    const id = newId('cmp_')
    const summary = 'The person has cleared the conversation: what came before does not matter any more.'
    const data = { id, upTo: { messageId: userMessageId, step: 0 }, summary }
    return {
      text: 'Cleared: from here on the model knows nothing of what is above. It stays here for you.',
      parts: [{ type: 'data-compaction', id, data }],
    }
  },
}
