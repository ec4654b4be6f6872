import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

export async function main(print = console.log): Promise<void> {
  const model = scriptedModel([
    [
      { call: { name: 'tide', input: { harbour: 'Brest', actionName: 'look up the tide' } } },
      { call: { name: 'wind', input: { harbour: 'Brest' } } },
    ],
    [{ text: 'High water at 14:10, a light wind.' }],
  ])
  const pilot = createAgent({ name: 'pilot', model, showToolLogs: print })
  pilot.registerTool({
    name: 'tide',
    description: 'The next high water of a harbour.',
    input: z.object({ harbour: z.string() }),
    returns: z.object({ highWater: z.string() }),
    readOnly: true,
    execute: ({ harbour }) => ({ harbour, highWater: '14:10' }),
  })
  const wind = pilot.toolFunc(
    { name: 'wind', description: 'The wind there now.', input: z.object({ harbour: z.string() }), readOnly: true },
    ({ harbour }) => `2 Bft at ${harbour}`,
  )

  const { data, toolLogs } = await pilot.turn().input('Can we leave Brest?').run().result()
  print(data)
  print(
    `${toolLogs.length} calls; tools: ${pilot
      .getToolList({ tags: ['agent-pilot'] })
      .map(({ name }) => name)
      .join(', ')}`,
  )
  print(wind({ harbour: 'Roscoff' }))
}

if (import.meta.main) await main()
