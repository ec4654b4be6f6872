import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

const report = z.object({
  headline: z.string(),
  items: z.array(z.object({ title: z.string(), score: z.number() })),
  closing: z.string(),
})

export async function main(print = console.log): Promise<void> {
  const answer = {
    headline: 'Two finds',
    items: [
      { title: 'Amber', score: 0.95 },
      { title: 'Flint', score: 0.5 },
    ],
    closing: 'That was all.',
  }
  const model = scriptedModel(() => [{ text: JSON.stringify(answer), chunks: 20, delayMs: 1 }])
  const finder = createAgent({ name: 'finder', model })
  const turn = finder.turn().input('the beach').output(report)

  // One value, typed as a string, as soon as it is complete.
  const run = turn.run()
  print(await run.key('headline'))

  for await (const { path, value } of run.waitKeys(['items[*].title', 'closing'])) print(path, value)

  // Handlers run while the answer streams. Their return values are collected.
  const handled = await turn
    .run()
    .when('items[*]', async (item, { indexes }) => `${indexes[0]}: ${item.title} ${item.score * 100} %`)
    .startWaiter()
  for (const { path, result } of handled) print(path, result)

  const short = turn.run({ stopWhenSatisfied: true })
  print(await short.key('items[0].title'))
  print((await short.result()).satisfied ? 'ended early' : 'read to the end')
}

if (import.meta.main) await main()
