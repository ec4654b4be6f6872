import type { Param } from '@troupe/protocol'
import { suggestions } from '../demo/scenes.ts'
import { defineProvider } from './shared/provider.ts'

const pace: Param = {
  name: 'pace',
  type: 'choice',
  label: 'Speed',
  note: 'How fast it writes.',
  options: ['slow', 'normal', 'instant'],
  default: 'normal',
}

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
      // A script has no limit. The size is usual, so that the page can show how a context fills.
      contextWindow: 128_000,
      capabilities: {
        common: {
          description:
            'Scripted, not an AI. Answers about twenty requests, with real tools. Works offline and without a key. Token counts are estimates.',
          scripted: true,
          examples: suggestions('en'),
          examplesZh: suggestions('zh'),
        },
      },
    },
    { id: 'painter', name: 'Demo painter', tags: ['image', 'demo'] },
  ],
  params: () => [pace],
  async create() {
    const [{ demoModel }, { demoPainter }] = await Promise.all([
      import('../demo/demo-model.ts'),
      import('../demo/demo-painter.ts'),
    ])
    return Object.assign((modelId: string) => demoModel({ modelId }), { imageModel: demoPainter })
  },
})
