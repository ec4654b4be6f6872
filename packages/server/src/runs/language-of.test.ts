import { expect, it } from 'vitest'
import { testServer } from '../testing/test-server.ts'

const tongue = `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  description: 'Tells what it was told.', input: z.object({}), readOnly: true, group: 'test', needsApproval: false,
  execute: (_, ctx) => ctx.session,
})`

it('a tool gets the language of the conversation, detected by its script', async () => {
  const server = await testServer({ tools: { tongue } })
  for (const [id, text, told] of [
    ['en', 'which language is this', {}],
    ['zh', '这是什么语言', { language: 'zh' }],
  ] as const) {
    server.script(text, [[{ call: { name: 'tongue', input: {} } }]])
    const { message } = await server.chat(id, text)
    expect(message.parts).toContainEqual(expect.objectContaining({ output: { id, ...told } }))
  }
  await server.close()
})
