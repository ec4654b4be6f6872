import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'

export async function main(print = console.log): Promise<void> {
  const model = scriptedModel([[{ text: 'Slack water is the short rest between two tides.', chunks: 6 }]])
  const writer = createAgent({ name: 'writer', model }).always({
    role: 'editor of a dictionary',
    rules: ['one sentence'],
  })

  const run = writer.turn().input('slack water').instruct('Explain the term.').run()
  for await (const delta of run.text()) print(`… ${delta}`)

  const { data, usage } = await run.result()
  print(data)
  print(`${usage?.outputTokens} tokens`)
}

if (import.meta.main) await main()
