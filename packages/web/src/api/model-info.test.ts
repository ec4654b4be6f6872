import { expect, test } from 'vitest'
import { examplesOf, groupModels } from './model-info.ts'
import type { ModelInfo } from './model-info.ts'

const model = (ref: string, providerName: string, tags: string[] = []): ModelInfo => {
  const [provider = '', id = ''] = ref.split('/')
  return { ref, id, name: id, provider, providerName, familyId: '', usable: true, tags }
}

test('models stand under their provider, and every word of the search must fit', () => {
  const models = [model('a/one', 'Acme', ['vision']), model('b/two', 'Beta'), model('a/three', 'Acme')]
  expect(groupModels(models, '').map((group) => [group.provider, group.models.length])).toEqual([
    ['Acme', 2],
    ['Beta', 1],
  ])
  expect(groupModels(models, 'ACME vision').flatMap((group) => group.models)).toEqual([models[0]])
  expect(groupModels(models, 'nothing')).toEqual([])
})

test('examples are taken only where they are texts', () => {
  expect(examplesOf({ ...model('a/b', 'A'), capabilities: { common: { examples: ['x', 1] } } })).toEqual(['x'])
  expect(examplesOf(model('a/b', 'A'))).toEqual([])
})

test('examples are in the language of the person where the model has them', () => {
  const capabilities = { common: { examples: ['Hello', 7], examplesZh: ['你好'] } }
  const demo = { ...model('demo/tour', 'Demo'), capabilities }
  expect(examplesOf(demo)).toEqual(['Hello'])
  expect(examplesOf(demo, 'zh')).toEqual(['你好'])
  expect(examplesOf(demo, 'fr')).toEqual(['Hello'])
  expect(examplesOf(undefined, 'zh')).toEqual([])
})
