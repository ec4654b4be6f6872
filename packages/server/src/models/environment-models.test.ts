import { afterEach, expect, it, vi } from 'vitest'
import { getModelDefinition, getProviderDefinition, resolveChatModel } from './open-models.ts'

afterEach(() => vi.unstubAllEnvs())

it('finds definitions of providers and models without any configuration', () => {
  expect(getProviderDefinition('demo')).toMatchObject({ id: 'demo', needsKey: false })
  expect(getModelDefinition('demo', 'tour')).toMatchObject({ id: 'tour', provider: 'demo' })
  expect(getModelDefinition('demo', 'nothing')).toBeUndefined()
})

it('resolves a model, or reports the missing setting', async () => {
  vi.stubEnv('DEEPSEEK_API_KEY', '')
  expect((await resolveChatModel('demo/tour')).id).toBe('demo/tour')
  await expect(resolveChatModel('deepseek/deepseek-chat')).rejects.toMatchObject({
    name: 'ProviderNotConfigured',
    message: expect.stringContaining('DEEPSEEK_API_KEY') as string,
  })
})
