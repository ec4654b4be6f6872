import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const repository = fileURLToPath(new URL('../../../..', import.meta.url))
let server: TestServer
let folder: string
beforeAll(async () => {
  const program = `node_modules/@typescript/typescript-${process.platform}-${process.arch}/lib/tsc`
  const command = [path.join(repository, program), '--lsp', '--stdio']
  server = await testServer({ config: { languageServers: { typescript: { command } } } })
  folder = path.join(server.homePath, '..', 'code')
  mkdirSync(folder)
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true, "types": [] } }')
  writeFileSync(path.join(folder, 'a.ts'), 'export const a: number = 1\n')
})
afterAll(() => server.close())

it('the result of an edit carries its new problems, once the folder is trusted', async () => {
  const file_path = path.join(folder, 'a.ts')
  const turn = async (id: string, content: string) => {
    server.script(id, [
      [{ call: { name: 'Read', input: { file_path } } }],
      [{ call: { name: 'Write', input: { file_path, content } } }],
      [{ call: { name: 'Lsp', input: { action: 'hover', path: file_path, symbol: 'a' } } }],
      [{ text: 'done' }],
    ])
    await server.chat(id, id, { workspace: folder, mode: 'accept-edits' })
    await server.runs.get(id)?.done
    return JSON.stringify(server.model.calls.at(-1)?.prompt)
  }
  const untrusted = await turn('untrusted', 'export const a: number = 2\n')
  expect(untrusted).toContain('Language servers run only in folders that the user trusts')
  await server.json(`/ai/workspace?workspace=${encodeURIComponent(folder)}`, {
    method: 'PATCH',
    body: { trusted: true },
  })
  const trusted = await turn('trusted', 'export const a: number = "3"\n')
  expect(trusted).toContain("a.ts:1:14 error: Type 'string' is not assignable to type 'number'. (ts 2322)")
  expect(trusted).toContain('const a: number')
  const scope = `?workspace=${encodeURIComponent(folder)}`
  const problems = (body: object) => server.json(`/ai/language-servers/problems${scope}`, { body })
  expect((await problems({ path: 'a.ts', text: 'export const a: string = 1' })).body).toMatchObject({
    problems: [{ line: 1, column: 14, severity: 'error', code: '2322' }],
  })
  expect((await problems({ path: 'missing.ts' })).body).toEqual({ problems: null })
  expect(await problems({ path: '../a.ts' })).toMatchObject({ status: 400 })
  expect((await server.json(`/ai/language-servers${scope}`)).body).toMatchObject({
    servers: [{ name: 'typescript', state: 'running', root: folder }],
  })
})
