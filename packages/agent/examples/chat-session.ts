import { chatSession, createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

const reply = z.object({ thinking: z.string(), reply: z.string() })

export async function main(print = console.log): Promise<void> {
  const model = scriptedModel((prompt, index) => [
    { text: JSON.stringify({ thinking: `${prompt.length} messages`, reply: `Reply ${index + 1}.` }) },
  ])
  const host = createAgent({ name: 'host', model })

  // Without a store the conversation lives in memory. With the workspace's store it opens in the web app.
  const session = chatSession({ window: { maxMessages: 4 } })
    .recordInput('input.question')
    .recordOutput('reply')
  host.use(session)

  session.activate('first')
  for (const question of ['Who are you?', 'And who am I?']) {
    await host.turn().input({ question, language: 'en' }).output(reply).run().result()
  }
  session.activate('second')
  await host.turn().input({ question: 'Hello?', language: 'en' }).output(reply).run().result()

  for (const id of ['first', 'second']) {
    for (const { role, parts } of await session.messages(id)) {
      print(id, role, parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''))
    }
  }
}

if (import.meta.main) await main()
