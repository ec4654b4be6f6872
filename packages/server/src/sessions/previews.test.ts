import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer, userMessage } from '../testing/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
  const files = {
    'page.html': '<h1>Hi</h1>',
    'table.csv': 'a,b\n1,2\n',
    'book.xlsx': 'PK',
    'code.ts': 'x',
    '.env.md': 'K=1',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(server.workspace.path, name), text)
  writeFileSync(path.join(server.workspace.path, 'big.csv'), Buffer.alloc(5 * 1024 * 1024 + 1))
  writeFileSync(path.join(server.homePath, 'outside.html'), 'secret')
  symlinkSync(path.join(server.homePath, 'outside.html'), path.join(server.workspace.path, 'link.html'))
})
afterAll(() => server.close())

type Answer = { preview: { path: string; kind: string; text?: string; base64?: string }; error: { name: string } }
const look = (sessionId: string, file: string) =>
  server.json<Answer>(`/ai/sessions/${sessionId}/preview?path=${encodeURIComponent(file)}`)

it('workspace files are returned by kind; others, secrets and outside files are rejected', async () => {
  await server.chat('s1', userMessage('hello', 'u1'))
  expect((await look('s1', 'page.html')).body.preview).toEqual({
    path: 'page.html',
    kind: 'html',
    size: 11,
    text: '<h1>Hi</h1>',
  })
  expect((await look('s1', 'table.csv')).body.preview.kind).toBe('csv')
  expect((await look('s1', 'book.xlsx')).body.preview.base64).toBe('UEs=')
  const refused: [file: string, status: number, name: string][] = [
    ['code.ts', 415, 'NoPreview'],
    ['none.html', 404, 'FileNotFound'],
    ['.env.md', 403, 'SecretFile'],
    ['big.csv', 413, 'FileTooLarge'],
    ['link.html', 403, 'OutsideWorkspace'],
    ['../home/outside.html', 403, 'OutsideWorkspace'],
    [path.join(server.homePath, 'token'), 403, 'OutsideWorkspace'],
    ['\0.html', 403, 'OutsideWorkspace'],
  ]
  for (const [file, status, name] of refused)
    expect({ file, ...(await look('s1', file)) }).toMatchObject({ file, status, body: { error: { name } } })
  expect((await look('none', 'page.html')).status).toBe(404)
})

it('a preview that the model made is given while it is valid, and refused with its place while it is not', async () => {
  const good = '<Card title="Hi">there</Card>'
  server.script('make', [[{ call: { name: 'JsxCreate', input: good } }], [{ text: 'done' }]])
  const { message } = await server.chat('s2', userMessage('make', 'u2'))
  const call = message.parts.find((part) => part.type === 'tool-JsxCreate') as { output: { path: string } }
  expect(call.output).toEqual({ ok: true, path: expect.stringMatching(`${message.id}.jsx$`), messageId: message.id })
  expect((await look('s2', call.output.path)).body.preview).toMatchObject({ kind: 'jsx', text: good })
  expect((await look('s1', call.output.path)).status).toBe(403)
  writeFileSync(call.output.path, '<Card>\n {x}</Card>')
  expect(await look('s2', call.output.path)).toMatchObject({
    status: 422,
    body: { error: { name: 'InvalidPreview', data: { line: 2, column: 3 } } },
  })
  mkdirSync(path.join(server.workspace.path, 'src'))
  writeFileSync(path.join(server.workspace.path, 'src', 'app.jsx'), good)
  expect((await look('s2', 'src/app.jsx')).status).toBe(415)
})
