import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

/** The first tool call is approved for the whole conversation, so the second does not ask. */
export async function main(print = console.log): Promise<void> {
  const model = scriptedModel([
    [{ call: { name: 'sendMail', input: { to: 'ann@example.org', text: 'The ship is late.' } } }],
    [{ call: { name: 'sendMail', input: { to: 'bob@example.org', text: 'The ship is late.' } } }],
    [{ text: 'Both know now.' }],
  ])
  const clerk = createAgent({
    name: 'clerk',
    model,
    ask(ask) {
      print(`asked: ${ask.toolName} ${JSON.stringify(ask.input)}`)
      return { type: 'approve', remember: 'session' }
    },
  })
  clerk.registerTool({
    name: 'sendMail',
    description: 'Sends a mail.',
    input: z.object({ to: z.string(), text: z.string() }),
    needsApproval: true,
    execute({ to }) {
      print(`sent to ${to}`)
      return 'sent'
    },
  })

  const { text } = await clerk.turn().input('Tell Ann and Bob that the ship is late.').run().result()
  print(text)
}

if (import.meta.main) await main()
