import { setTimeout as sleep } from 'node:timers/promises'
import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

const story = z.object({
  scenes: z.array(z.object({ picture: z.string().describe('what is to be painted'), text: z.string() })),
})

/** Simulates a slow tool, sub-agent or page component: one image at a time. */
function createPainter(ms: number): (picture: string) => Promise<string> {
  let last: Promise<unknown> = Promise.resolve()
  return (picture) => {
    const painted = last.then(() => sleep(ms)).then(() => `painted ${picture}`)
    last = painted
    return painted
  }
}

/** Paints each scene as it arrives, or all after the answer. Returns the seconds of each. */
export async function main(
  print = console.log,
  { delayMs = 12, paintMs = 250 } = {},
): Promise<{ after: number; along: number }> {
  const pictures = ['a harbour', 'a storm', 'an island']
  const answer = { scenes: pictures.map((picture) => ({ picture, text: `There was ${picture}. `.repeat(4) })) }
  const model = scriptedModel(() => [{ text: JSON.stringify(answer), chunks: 60, delayMs }])
  const turn = createAgent({ name: 'teller', model }).turn().input('three scenes').output(story)

  const after = await seconds(async () => {
    const { data } = await turn.run().result()
    const paint = createPainter(paintMs)
    await Promise.all(data.scenes.map(({ picture }) => paint(picture)))
  })
  const along = await seconds(async () => {
    const paint = createPainter(paintMs)
    const run = turn.run().when('scenes[*].picture', (picture) => paint(picture))
    for (const { path, result } of await run.startWaiter()) print(path, result)
  })
  print(
    `after the end: ${after.toFixed(2)} s, along with it: ${along.toFixed(2)} s, saved: ${(after - along).toFixed(2)} s`,
  )
  return { after, along }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

if (import.meta.main) await main()
