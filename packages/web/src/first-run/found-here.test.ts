import { expect, test } from 'vitest'
import type { ModelInfo } from '../api/models.ts'
import type { ProviderInfo } from '../api/providers.ts'
import { findUsableProviders } from './first-run.tsx'

const provider = (id: string, fields: Partial<ProviderInfo> = {}): ProviderInfo => ({
  id,
  name: id,
  adapter: id,
  familyId: '',
  usable: true,
  enabled: true,
  needsKey: true,
  popular: false,
  keySource: null,
  keyURL: null,
  keyPattern: null,
  env: [],
  baseURL: null,
  local: false,
  inSettings: false,
  probe: null,
  problem: null,
  models: 1,
  onlyModels: null,
  ...fields,
})
const model = (ref: string): ModelInfo => {
  const [owner = '', id = ''] = ref.split('/')
  return { ref, id, name: id, provider: owner, providerName: owner, familyId: '', usable: true, tags: [] }
}

test('environment keys and local servers are found, incomplete ones are not', () => {
  const found = findUsableProviders(
    [
      provider('demo', { needsKey: false }),
      provider('openai', { keySource: 'env:OPENAI_API_KEY' }),
      provider('ollama', { local: true, needsKey: false }),
      provider('lmstudio', { local: true, usable: false }),
      provider('anthropic', { usable: false }),
      provider('empty', { keySource: 'settings' }),
    ],
    [model('demo/tour'), model('openai/a'), model('openai/b'), model('ollama/c')],
  )
  expect(found).toEqual([
    {
      id: 'openai',
      name: 'openai',
      how: { kind: 'environment', variable: 'OPENAI_API_KEY' },
      models: 2,
      model: model('openai/a'),
    },
    { id: 'ollama', name: 'ollama', how: { kind: 'local' }, models: 1, model: model('ollama/c') },
  ])
})
