import { expect, test } from 'vitest'
import type { ModelInfo } from '../api/models.ts'
import type { ProviderInfo } from '../api/providers.ts'
import { button, change, click, render } from '../testing/render.tsx'
import { findUsableProviders, FirstRun } from './first-run.tsx'

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

async function show(ids: string[], current: string) {
  const providers = ids.map((id) => provider(id))
  const models = [...ids, 'demo'].map((id) => model(`${id}/one`))
  const shown = await render(<FirstRun />, {
    app: { models, modelsLoaded: true, defaultModel: current },
    answers: { 'GET /ai/providers': () => ({ providers }) },
  })
  await change(() => undefined)
  return shown
}

test('a choice is offered only where there is one', async () => {
  expect((await show(['acme'], 'acme/one')).view.textContent).toBe('')
  expect((await show(['acme', 'other'], 'acme/one')).view.textContent).toContain('other')
})

test('a provider stays on offer after it was chosen', async () => {
  const { view } = await show(['acme'], 'demo/one')
  await click(button(/^acme/))
  expect(view.querySelector('[aria-pressed=true]')?.textContent).toContain('acme')
})
