import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findSandbox } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chat, testServer, type TestServer } from '../testing/test-server.ts'

const finding = await findSandbox()

describe.skipIf(finding.sandbox === undefined)('with a sandbox', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await testServer({ sandbox: finding })
    writeFileSync(path.join(server.workspace.path, 'names.txt'), 'one two\nthree four\n')
  })
  afterAll(() => server.close())

  const run = (command: string, more: object = {}): Promise<Chat> => {
    server.script(command, [[{ call: { name: 'Bash', input: { command } } }], [{ text: 'Done.' }]])
    return server.chat(`s${command.length}`, command, more)
  }
  const asks = ({ types }: Chat): boolean => types.includes('tool-approval-request')

  it('a read-only command runs without asking', async () => {
    const looked = await run("awk '{print $1}' names.txt")
    expect(asks(looked)).toBe(false)
    const output = expect.objectContaining({ text: 'one\nthree\n', exitCode: 0 }) as object
    expect(looked.message.parts).toContainEqual(expect.objectContaining({ output }))
  })

  it('a command that writes asks, and runs without asking with accepted edits', async () => {
    expect(asks(await run('touch asked.txt'))).toBe(true)
    expect(existsSync(path.join(server.workspace.path, 'asked.txt'))).toBe(false)
    expect(asks(await run('touch accepted-now.txt', { mode: 'accept-edits' }))).toBe(false)
    expect(existsSync(path.join(server.workspace.path, 'accepted-now.txt'))).toBe(true)
  })

  it('is reported to the page, and not to the model', async () => {
    expect((await server.json('/ai/rules')).body).toMatchObject({ sandbox: { available: true } })
    expect(JSON.stringify(server.model.calls.at(-1)?.prompt)).not.toContain(finding.text)
  })
})
