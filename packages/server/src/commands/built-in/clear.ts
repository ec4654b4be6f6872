import { newId } from '@troupe/protocol'
import type { BuiltInCommand } from './command.ts'

export const clear: BuiltInCommand = {
  name: 'clear',
  about: 'Start fresh. Earlier messages stay visible but are not sent to the model.',
  run({ userMessageId }) {
    const id = newId('cmp_')
    const summary = 'The user cleared the conversation. Earlier messages no longer matter.'
    const data = { id, upTo: { messageId: userMessageId, step: 0 }, summary }
    return {
      text: 'Cleared. The model no longer sees the messages above. They stay visible to you.',
      parts: [{ type: 'data-compaction', id, data }],
    }
  },
}
