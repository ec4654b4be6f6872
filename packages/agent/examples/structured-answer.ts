import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

const recipe = z.object({
  title: z.string().describe('at most five words'),
  minutes: z.int(),
  steps: z.array(z.string()),
})

export async function main(print = console.log): Promise<void> {
  const answer = { title: 'Flat bread', minutes: 25, steps: ['Mix flour and water.', 'Fry it.'] }
  const model = scriptedModel([[{ text: `Gladly!\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``, chunks: 12 }]])
  const cook = createAgent({ name: 'cook', model })

  const run = cook.turn().input('something from flour').output(recipe).run()
  for await (const event of run.instant()) {
    if (event.type === 'reset') continue
    if (event.delta !== '') print(`${event.path} + ${JSON.stringify(event.delta)}`)
    if (event.isComplete) print(`${event.path} is complete (${event.completion})`)
  }

  const { data } = await run.result()
  print(`${data.title}: ${data.steps.length} steps, ${data.minutes} minutes`)
}

if (import.meta.main) await main()
