import { expect, test } from 'vitest'
import { describeProviderTest, type ProviderInfo, providerStatus, sortProviders } from './providers.ts'

const provider: ProviderInfo = {
  id: 'acme',
  name: 'Acme',
  adapter: 'openai-compatible',
  familyId: '',
  usable: true,
  enabled: true,
  needsKey: true,
  popular: false,
  keySource: 'settings',
  keyURL: null,
  keyPattern: null,
  env: ['ACME_KEY'],
  baseURL: null,
  local: false,
  inSettings: true,
  probe: null,
  problem: null,
  models: 2,
  onlyModels: null,
}

test('a provider shows its key, or what is missing', () => {
  expect(providerStatus({ ...provider, enabled: false, usable: false, problem: 'off' })).toBe('off')
  expect(providerStatus(provider)).toBe('key saved · 2 models')
  expect(providerStatus({ ...provider, keySource: 'env:ACME_KEY', models: 1 })).toBe('key from ACME_KEY · 1 model')
  expect(providerStatus({ ...provider, keySource: null, needsKey: false, local: true })).toBe(
    'found on this computer · 2 models',
  )
  expect(providerStatus({ ...provider, usable: false, problem: 'Acme has no address.' })).toBe('Acme has no address.')
  expect(providerStatus({ ...provider, usable: false, keySource: null })).toBe('no key')
})

test('a test shows its result in words', () => {
  expect(describeProviderTest({ ok: true, elapsedMs: 120, how: 'list', models: [{ id: 'a' }] })).toBe(
    'Connected. 1 model found.',
  )
  expect(describeProviderTest({ ok: true, elapsedMs: 2000, how: 'answer' })).toBe('Connected.')
  expect(
    describeProviderTest({ ok: false, elapsedMs: 1, error: { name: 'ProviderAuth', message: 'The key is wrong.' } }),
  ).toBe('The key is wrong.')
})

test('usable providers come first, and the demo has no key', () => {
  const list = [
    { ...provider, id: 'ollama', usable: false, local: true },
    { ...provider, id: 'openai', usable: false },
    { ...provider, id: 'demo' },
    provider,
  ]
  expect(sortProviders(list).map(({ id }) => id)).toEqual(['acme', 'openai', 'ollama'])
})
