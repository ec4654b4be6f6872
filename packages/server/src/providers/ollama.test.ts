import { expect, test } from 'vitest'
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
