import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findSandbox } from '@troupe/core'
import { afterAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'

const home = mkdtempSync(path.join(tmpdir(), 'troupe-token-'))
const finding = await findSandbox({ troupeHome: home })
afterAll(() => rmSync(home, { recursive: true }))

/** Runs each command in its own chat. The token has 43 bytes. */
async function tryCommands(server: TestServer, mode: string): Promise<{ asked: boolean[]; said: string }> {
  const token = path.join(server.homePath, 'token')
  const script = `try { console.log('bytes', require('node:fs').readFileSync(${JSON.stringify(token)}).length) } catch {}`
  writeFileSync(path.join(server.workspace.path, 'read.cjs'), script)
  const commands = [
    `wc -c ${token}`,
    `wc -c ${token.slice(0, -2)}*`,
    'node read.cjs',
    `(cd ${server.homePath}; wc -c *)`,
  ]
  const asked: boolean[] = []
  let said = ''
  for (const [number, command] of commands.entries()) {
    server.script(command, [[{ call: { name: 'Bash', input: { command } } }], [{ text: 'Done.' }]])
    const { types, message } = await server.chat(`${mode}-${number}`, command, { mode })
    asked.push(types.includes('tool-approval-request'))
    said += JSON.stringify(message.parts.map((part) => ('output' in part ? part.output : '')))
  }
  return { asked, said }
}

test.skipIf(finding.sandbox === undefined)(
  'in the sandbox, no command reads the token of the server, even if nothing asks',
  async () => {
    const server = await testServer({ home, sandbox: finding, allowBypass: true })
    const { asked, said } = await tryCommands(server, 'bypass')
    expect(asked).toEqual([false, false, false, false])
    expect(said).not.toMatch(/(?<![\w-])43(?![\w-])|bytes/)
    await server.close()
  },
)

test('without a sandbox, a command that could read the token asks first, and the model never sees it', async () => {
  const server = await testServer({ allowBypass: true })
  expect((await tryCommands(server, 'accept-edits')).asked).toEqual([true, true, true, true])
  const command = `cat ${path.join(server.homePath, 'token')}; env`
  server.script(command, [[{ call: { name: 'Bash', input: { command } } }], [{ text: 'Done.' }]])
  await server.chat('printed', command, { mode: 'bypass' })
  expect(JSON.stringify(await server.messages('printed'))).toContain('PATH=')
  expect(JSON.stringify([await server.messages('printed'), server.model.calls])).not.toContain(server.token)
  await server.close()
})
