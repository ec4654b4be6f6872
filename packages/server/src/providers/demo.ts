import { examples } from '../demo/scenes.ts'
import { defineProvider } from '../provider.ts'

export default defineProvider({
  name: 'Demo',
  adapter: 'demo',
  familyId: 'demo',
  env: [],
  needsKey: false,
  closed: true,
  models: [
    {
      id: 'tour',
      name: 'Demo tour',
      tags: ['chat', 'tools', 'demo'],
      price: { input: 0, output: 0 },
      capabilities: {
        common: {
          description:
            'Scripted and not an AI: it understands a dozen plain requests and drives the real tools. Works offline and without a key. Its token numbers are estimates from lengths.',
          scripted: true,
          examples: examples.en,
          examplesZh: examples.zh,
        },
      },
    },
  ],
  async create() {
    const { demoModel } = await import('../demo/demo-model.ts')
    return (modelId) => demoModel({ modelId })
  },
})
