import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'
import { z } from 'zod'

const note = z.object({
  title: z.string().meta({ ensure: 'not-empty' }),
  sources: z.array(z.object({ url: z.string() })),
})

export async function main(print = console.log): Promise<void> {
  const model = scriptedModel([
    [{ text: 'Sorry, here it comes: {"title": "Tides", "sources": [' }],
    [{ text: '{"title": "", "sources": []}' }],
    [{ text: '{"title": "Tides", "sources": [{"url": "ftp://old.test"}]}' }],
    [{ text: '{"title": "Tides", "sources": [{"url": "https://sea.test"}]}' }],
  ])
  const run = createAgent({ name: 'clerk', model })
    .turn()
    .input('tides')
    .output(note)
    .ensure('sources', 'not-empty')
    .validate('sources[*].url', (url) => url.startsWith('https:') || `${url} is not an https address`)
    .retries(3)
    .run()

  for await (const event of run.events()) {
    if (event.type === 'reset') print(`attempt ${event.attempt}, because:\n${event.reason}`)
  }
  const { data, attempts } = await run.result()
  print(`accepted after ${attempts} attempts: ${data.title}, ${data.sources[0]?.url}`)
}

if (import.meta.main) await main()
