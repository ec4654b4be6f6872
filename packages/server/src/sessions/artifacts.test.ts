import { existsSync } from 'node:fs'
import path from 'node:path'
import { scriptedModel } from '@troupe/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPrinter } from '../browser/print-page.ts'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

const page = (text: string): string => `<div className="p-4"><h1>Sales</h1><p>${text}</p></div>`

let server: TestServer
beforeAll(async () => {
  const model = scriptedModel((prompt) => {
    const last = prompt.findLastIndex((message) => message.role === 'user')
    const said = prompt[last]?.content[0] as { text: string } | undefined
    if (prompt.length - last > 1) return [{ text: 'Done.' }]
    return [{ call: { name: 'JsxCreate', input: page(said?.text ?? '') } }]
  })
  server = await testServer({ models: { 'test/script': model } })
})
afterAll(() => server.close())

type Answer = {
  artifacts: { id: string; versions: number; title: string }[]
  artifact: { id: string; title: string; path: string }
  versions: { version: number; toolCallId: string; path: string }[]
  version: { kind: string; text: string }
  diff: string
  error: { name: string; message: string }
}
const get = (address: string) => server.json<Answer>(address)

it('each page with the same title is a version that can be listed, read and compared', async () => {
  await server.chat('s1', userMessage('one', 'u1'))
  await server.chat('s1', userMessage('two', 'u2'))
  const { body: list } = await get('/ai/sessions/s1/artifacts')
  expect(list.artifacts).toMatchObject([{ id: 'page-sales', versions: 2, title: 'Sales' }])
  const { body: one } = await get('/ai/sessions/s1/artifact?artifact=page-sales')
  expect(one.versions.map(({ version }) => version)).toEqual([1, 2])
  const first = one.versions[0]?.path ?? ''
  expect((await get(`/ai/sessions/s1/artifact?path=${encodeURIComponent(first)}`)).body.artifact.id).toBe('page-sales')
  const { body: read } = await get('/ai/sessions/s1/artifact/version?artifact=page-sales&version=1')
  expect(read.version).toMatchObject({ kind: 'jsx', text: page('one') })
  const { body: compared } = await get('/ai/sessions/s1/artifact/diff?artifact=page-sales&from=1&to=2')
  expect(compared.diff).toContain('+<div className="p-4"><h1>Sales</h1><p>two</p></div>')
})

it('unknown artifacts, versions and chats are named', async () => {
  const refused: [address: string, name: string][] = [
    ['/ai/sessions/s1/artifact/diff?artifact=nope&from=1&to=2', 'ArtifactNotFound'],
    ['/ai/sessions/s1/artifact/version?artifact=page-sales&version=9', 'ArtifactNotFound'],
    ['/ai/sessions/none/artifacts', 'SessionNotFound'],
  ]
  expect((await get('/ai/sessions/s1/artifact?path=nope.html')).body).toEqual({ artifact: null, versions: [] })
  for (const [address, name] of refused)
    expect([address, (await get(address)).body]).toMatchObject([address, { error: { name } }])
  expect((await get('/ai/sessions/s1/artifact/version?artifact=page-sales&version=x')).status).toBe(400)
})

it('without Chromium, printing says what to do', async () => {
  const printer = createPrinter({ folder: path.join(server.homePath, 'print'), executable: () => undefined })
  await expect(printer.print({ html: '<p>x', as: 'pdf' })).rejects.toMatchObject({
    name: 'NoChromium',
    message: expect.stringContaining('Install Chromium') as string,
  })
})

const chromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium-headless-shell'
describe.skipIf(!existsSync(chromium))('with Chromium', () => {
  const printer = (timeoutMs?: number) =>
    createPrinter({
      folder: path.join(server.homePath, 'print'),
      executable: () => chromium,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  const start = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 8)).toString('latin1')

  it('prints a page with an endless animation as PDF, and takes its picture', async () => {
    const html = `<h1>Hi</h1><style>@keyframes s { to { transform: rotate(360deg) } } h1 { animation: s 1s infinite }</style>
      <script>const draw = () => requestAnimationFrame(draw); draw(); setInterval(() => 1, 5)</script><img src="https://elsewhere.invalid/x.png">`
    expect(start(await printer().print({ html, as: 'pdf' }))).toMatch(/^%PDF-1/)
    expect(start(await printer().print({ html, as: 'png', width: 400 }))).toContain('PNG')
  })

  it('ends a page whose script never ends, with a named error', async () => {
    const endless = printer(1500).print({ html: '<p>x</p><script>for (;;) {}</script>', as: 'pdf' })
    await expect(endless).rejects.toMatchObject({
      name: 'PrintTimeout',
      message: expect.stringContaining('Download it as HTML instead') as string,
    })
  })
})
