import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

export async function main(print = console.log): Promise<void> {
  const plan = {
    use_tool: true,
    tool_command: { purpose: 'find the opening hours', tool_name: 'lookUp', tool_kwargs: { place: 'library' } },
  }
  const model = scriptedModel([
    [{ text: JSON.stringify(plan), chunks: 10 }],
    [{ text: 'It is open until six (source: https://town.test/library).' }],
    [{ text: '{"use_tool": false}' }],
    [{ text: 'You are welcome.' }],
  ])
  const guide = createAgent({ name: 'guide', model, planning: 'external' })
  guide.registerTool({
    name: 'lookUp',
    description: 'What the town says about a place.',
    input: z.object({ place: z.string() }),
    readOnly: true,
    execute: ({ place }) => ({ place, open: '9 to 6', url: `https://town.test/${place}` }),
  })

  const run = guide.turn().input('Is the library open?').run()
  for await (const event of run.events()) {
    if (event.type === 'tool') print(`${event.log.purpose}: ${JSON.stringify(event.log.result)}`)
  }
  print((await run.result()).data)

  const thanks = await guide.turn().input('Thanks!').run().result()
  print(`${thanks.data} (${thanks.toolLogs.length} calls, ${model.calls.length} requests in all)`)
}

if (import.meta.main) await main()
