import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: 'Ends the JavaScript session of JsRepl. The next JsRepl begins a new one in which nothing is declared.',
  input: z.object({}),
  readOnly: false,
  // Only discards state that this session created.
  needsApproval: false,
  deferred: true,
  listedAfter: ({ name }) => name === 'JsRepl',
  group: 'code',
  title: () => 'Begin a new JavaScript session',
  async execute(_input, { state }) {
    const session = state.kept.get('js-repl')
    state.kept.delete('js-repl')
    await session?.dispose()
    return { reset: session !== undefined }
  },
  toModel: ({ reset }) =>
    reset ? 'The session was ended; the next JsRepl begins a new one.' : 'There was no session; JsRepl begins one.',
})
