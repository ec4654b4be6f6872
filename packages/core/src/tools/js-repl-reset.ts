import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: 'Ends the JavaScript session. The next JsRepl call starts a new one with nothing declared.',
  input: z.object({}),
  readOnly: false,
  // Only discards state that this session created.
  needsApproval: false,
  deferred: true,
  listedAfter: { tool: 'JsRepl' },
  group: 'code',
  title: () => 'Start a new JavaScript session',
  async execute(_input, { state }) {
    const session = state.resources.get('js-repl')
    state.resources.delete('js-repl')
    await session?.dispose()
    return { reset: session !== undefined }
  },
  toModel: ({ reset }) =>
    reset
      ? 'The session was ended. The next JsRepl call starts a new one.'
      : 'There was no session. The next JsRepl call starts one.',
})
