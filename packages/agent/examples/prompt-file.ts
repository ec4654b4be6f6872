import path from 'node:path'
import { createAgent } from '@troupe/agent'
import { scriptedModel } from '@troupe/core/testing'

export async function main(print = console.log): Promise<void> {
  const model = scriptedModel([
    [{ text: '{"articles": [{"title": "Roofs of Prague", "words": "many", "season": "winter"}]}' }],
    [{ text: '{"articles": [{"title": "Roofs of Prague", "words": 900, "season": "winter"}]}' }],
  ])
  const editor = createAgent({ name: 'editor', model })
  const file = path.join(import.meta.dirname, 'prompt-file.yaml')
  const turn = editor.loadYamlPrompt(file, { mappings: { reader: 'Ana', places: ['Prague', 'Porto'] } })

  print(turn.toText())
  const { data, attempts } = await turn.run().result()
  print(`${JSON.stringify(data)} after ${attempts} attempts: "many" is no int`)
  print(turn.toYamlPrompt())
}

if (import.meta.main) await main()
