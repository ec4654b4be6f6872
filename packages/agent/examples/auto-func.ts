import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

export async function main(print = console.log): Promise<void> {
  const model = scriptedModel([
    [{ text: '{"value": 3}' }],
    [{ text: '{"mood": "calm", "words": ["still", "grey"]}', chunks: 8 }],
  ])
  const reader = createAgent({ name: 'reader', model })

  const count = reader.autoFunc({
    name: 'count',
    instruct: 'Count the ships in the text.',
    input: z.object({ text: z.string() }),
    output: z.int(),
  })
  const ships: number = await count({ text: 'A brig, a sloop and a ketch.' })
  print(`${ships} ships`)

  const describe = reader.autoFunc({
    name: 'describe',
    instruct: 'Say how the sea feels.',
    input: z.object({ text: z.string(), words: z.int().default(2) }),
    output: z.object({ mood: z.enum(['calm', 'rough']), words: z.array(z.string()) }),
  })
  const run = describe.stream({ text: 'The water lay like slate.' })
  print(await run.key('mood'))
  print((await run.result()).data.words.join(', '))
}

if (import.meta.main) await main()
