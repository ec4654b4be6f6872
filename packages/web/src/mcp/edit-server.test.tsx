import { expect, test } from 'vitest'
import { openApp } from '../testing/open-app.ts'
import { button, field, click, render, type } from '../testing/render.tsx'
import type { McpInfo } from '../api/settings-types.ts'
import { t } from '../texts/t.ts'
import { EditServer } from './edit-server.tsx'
import { createMcpStore } from './mcp-store.ts'

const program = { name: 'files', command: 'npx', args: ['-y', 'my server'], cwd: null, url: null, env: ['KEY'] }
const address = { name: 'tracker', command: null, args: [], cwd: null, url: 'https://a.example/mcp', env: [] }

async function show(fields: object) {
  const server = { headers: ['Authorization'], timeout: null, version: 'v1', ...fields } as unknown as McpInfo
  const sent: unknown[] = []
  const store = createMcpStore(openApp({ 'GET /ai/mcp': () => ({ servers: [], problems: [] }) }).api)
  const name = `PATCH /ai/mcp/${server.name}`
  await render(<EditServer server={server} store={store} onClose={() => undefined} />, {
    answers: { [name]: (body: unknown) => (sent.push(body), { server, dropped: [] }) },
  })
  return sent
}

test('a program keeps its secret values unless new ones are entered', async () => {
  const sent = await show(program)
  await type(field(t.mcp.command), `npx -y 'other server'`)
  await click(button(t.serverEditor.save))
  expect(sent).toEqual([{ command: 'npx', args: ['-y', 'other server'], cwd: null, timeout: null, version: 'v1' }])
  await type(field(t.mcp.environment), 'no pair')
  await click(button(t.serverEditor.save))
  expect(document.body.textContent).toContain(t.mcp.missing.pair('no pair', '='))
})

test('another address says that the saved headers will be removed', async () => {
  const sent = await show(address)
  await type(field(t.mcp.address), 'https://b.example/mcp')
  expect(document.body.textContent).toContain(t.serverEditor.losesHeaders)
  await type(field(t.mcp.headers), 'Authorization: Bearer x')
  expect(document.body.textContent).not.toContain(t.serverEditor.losesHeaders)
  await click(button(t.serverEditor.save))
  expect(sent).toEqual([
    { url: 'https://b.example/mcp', headers: { Authorization: 'Bearer x' }, timeout: null, version: 'v1' },
  ])
})
