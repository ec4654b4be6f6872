import { expect, test } from 'vitest'
import { createModels } from '../models/models.ts'
import { wireServer } from '../testing/wire-server.ts'
import { ollamaBaseURL } from './ollama.ts'

test.each([
  ['', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:8000', 'http://127.0.0.1:8000/v1'],
  [':8000', 'http://127.0.0.1:8000/v1'],
  ['gpu-box', 'http://gpu-box:11434/v1'],
  [' gpu-box:9 ', 'http://gpu-box:9/v1'],
  ['http://gpu-box', 'http://gpu-box:80/v1'],
  ['https://gpu-box/ollama/', 'https://gpu-box:443/ollama/v1'],
  ['[::]:8000', 'http://[::1]:8000/v1'],
  ['[fe80::1]', 'http://[fe80::1]:11434/v1'],
])('OLLAMA_HOST=%s', (value, expected) => {
  expect(ollamaBaseURL(value)).toBe(expected)
})

test('models that support images are recognized by name', async () => {
  const server = await wireServer()
  server.list('ollama', ['qwen3:8b', 'qwen2.5vl:7b', 'qwen3-vl', 'llava:13b', 'llama3.2-vision'])
  const settings = { ollama: { baseURL: server.baseURL('ollama') } }
  const models = createModels({ settings: () => settings, env: {}, defaultModel: () => undefined })
  const listed = (await models.listModels()).filter(({ provider }) => provider === 'ollama')
  expect(listed.filter(({ tags }) => !tags.includes('vision')).map(({ id }) => id)).toEqual(['qwen3:8b'])
  expect(listed).toHaveLength(5)
  await server.close()
})
