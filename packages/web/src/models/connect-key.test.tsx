import { expect, test } from 'vitest'
import type { ProviderInfo } from '../api/providers.ts'
import { button, click, eventually, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { ConnectKey } from './connect-key.tsx'

const provider = (id: string, keyPattern: string | null, fields: Partial<ProviderInfo> = {}): ProviderInfo =>
  ({ id, name: id, needsKey: true, enabled: true, keySource: null, keyPattern, ...fields }) as ProviderInfo

const providers = [
  provider('anthropic', '^sk-ant-'),
  provider('deepseek', '^sk-[0-9a-f]{32}$'),
  provider('qwen', '^sk-[0-9a-f]{32}$'),
  provider('ollama', null, { needsKey: false, local: true }),
]

const refused = { name: 'ProviderAuth', message: 'anthropic refused the API key.' }

async function show(isValid: boolean | (() => Response) = true, list = providers) {
  const changes: [string, unknown][] = []
  const change = (id: string) => (body: unknown) => {
    changes.push([id, body])
    return { provider: {}, dropped: [] }
  }
  const result = isValid
    ? { ok: true, elapsedMs: 1, how: 'list', models: [{ id: 'm1' }] }
    : { ok: false, elapsedMs: 1, error: refused }
  const answers = Object.fromEntries(
    list.flatMap(({ id }) => [
      [`PATCH /ai/providers/${id}`, change(id)],
      [
        `POST /ai/providers/${id}/try-key`,
        typeof isValid === 'function' ? isValid : () => ({ test: { id, ...result } }),
      ],
      [`POST /ai/providers/${id}/test`, () => ({ test: { id, ...result } })],
    ]),
  )
  const models = [{ ref: 'anthropic/m1', provider: 'anthropic' }] as never
  const shown = await render(<ConnectKey providers={list} onChanged={() => Promise.resolve()} />, {
    answers,
    app: { models, isNew: true, dialog: 'settings' },
  })
  return { ...shown, changes }
}

const chosen = () => field(t.models.provider).value

test('a pasted key names its provider, is tested, and its first model is selected', async () => {
  const { view, app, changes } = await show()
  expect(button(t.models.connect).disabled).toBe(true)
  await type(field(t.models.key), '  sk-ant-api03-x ')
  expect(chosen()).toBe('anthropic')
  await click(button(t.models.connect))
  await eventually(() => view.textContent.includes(t.models.connected(1)))
  expect(changes).toEqual([['anthropic', { apiKey: 'sk-ant-api03-x' }]])
  expect(Object.values(app.getState().chosenModels)).toEqual(['anthropic/m1'])
  expect(field(t.models.key).value).toBe('')
  await click(button(t.models.startChatting))
  expect(app.getState().dialog).toBeNull()
})

test.each([
  ['two providers could have it', `sk-${'0a'.repeat(16)}`],
  ['no provider is known to', 'key-123'],
])('if %s, the key is sent nowhere until the user chooses', async (_, key) => {
  const { view, changes } = await show()
  await type(field(t.models.key), key)
  expect(chosen()).toBe('')
  expect(button(t.models.connect).disabled).toBe(true)
  await click(button(t.models.connect))
  expect(changes).toEqual([])
  await type(field(t.models.provider), 'qwen')
  await click(button(t.models.connect))
  await eventually(() => view.querySelector('output')?.textContent !== '')
  expect(changes[0]).toEqual(['qwen', { apiKey: key }])
})

test.each([
  ['that had no key', { keySource: null }],
  ['with a key in the settings', { keySource: 'settings' }],
  ['with a key in the environment', { keySource: 'env:ANTHROPIC_API_KEY' }],
  ['that is turned off', { enabled: false }],
])('a refused key changes nothing for a provider %s, and the reason is shown', async (_, fields) => {
  const { view, changes } = await show(false, [provider('anthropic', '^sk-ant-', fields)])
  await type(field(t.models.key), 'sk-ant-wrong')
  await click(button(t.models.connect))
  await eventually(() => view.textContent.includes(refused.message))
  expect(changes).toEqual([])
  expect(view.textContent).not.toContain(t.models.startChatting)
  expect(field(t.models.key).value).toBe('sk-ant-wrong')
})

test('a test that cannot be made is a failure, and stores nothing', async () => {
  const broken = { error: { name: 'Internal', message: 'The server broke.' } }
  const { view, changes } = await show(() => Response.json(broken, { status: 500 }))
  await type(field(t.models.key), 'sk-ant-x')
  await click(button(t.models.connect))
  await eventually(() => view.textContent.includes('The server broke.'))
  expect(view.querySelector('output')?.className).toBe('settings-failure')
  expect(changes).toEqual([])
  expect(button(t.models.connect).disabled).toBe(false)
})

test('a provider that was turned off is turned on', async () => {
  const { changes } = await show(true, [provider('anthropic', '^sk-ant-', { enabled: false })])
  await type(field(t.models.key), 'sk-ant-x')
  await click(button(t.models.connect))
  expect(changes).toEqual([['anthropic', { apiKey: 'sk-ant-x', enabled: true }]])
})
