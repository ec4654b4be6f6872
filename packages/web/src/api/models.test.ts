import { expect, onTestFinished, test } from 'vitest'
import { zh } from '../texts/said/zh.ts'
import { setServerTexts } from '../texts/server-texts.ts'
import { groupModels, type ModelInfo, modelName, providerNameOf } from './models.ts'

const model = (ref: string, providerName: string, tags: string[] = []): ModelInfo => {
  const [provider = '', id = ''] = ref.split('/')
  return { ref, id, name: id, provider, providerName, familyId: '', usable: true, tags }
}

test('models are grouped by provider, and every word of the search must match', () => {
  const models = [model('a/one', 'Acme', ['vision']), model('b/two', 'Beta'), model('a/three', 'Acme')]
  expect(groupModels(models, '').map((group) => [group.provider, group.models.length])).toEqual([
    ['Acme', 2],
    ['Beta', 1],
  ])
  expect(groupModels(models, 'ACME vision').flatMap((group) => group.models)).toEqual([models[0]])
  expect(groupModels(models, 'nothing')).toEqual([])
})

test('the demo comes after every other model', () => {
  const models = [model('demo/tour', 'Demo'), model('b/two', 'Beta'), model('a/one', 'Acme')]
  expect(groupModels(models, '').map(({ provider }) => provider)).toEqual(['Beta', 'Acme', 'Demo'])
})

test('the demo model has a Chinese name, and other names are unchanged', () => {
  const demo = { ref: 'demo/tour', name: 'Demo tour', providerName: 'Demo' }
  setServerTexts(zh)
  onTestFinished(() => setServerTexts(undefined))
  expect([modelName(demo), providerNameOf(demo)]).toEqual(['演示导览', '演示'])
  expect(modelName({ ref: 'other/tour', name: 'Demo tour' })).toBe('Demo tour')
})
