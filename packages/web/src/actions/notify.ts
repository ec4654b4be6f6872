import { textIn } from '../api/read-fields.ts'
import type { Action } from '../page-tools/actions.ts'

/** Shows a message to the user, as a browser notification if permitted. */
const notify: Action = async (input, { notify: tell }, { toolCallId }) => {
  const title = textIn(input['title'])
  if (title === undefined) throw new Error('The notification has no title.')
  return { shown: await tell(title, textIn(input['body']), toolCallId) }
}

export default notify
