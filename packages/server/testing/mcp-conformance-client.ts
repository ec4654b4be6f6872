import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createMcpServer, createTransport, type McpClient } from '@troupe/core'
import { testToolContext } from '@troupe/core/testing'
import { createLoginFiles, createOAuthLogins } from '../src/mcp/oauth-logins.ts'

/**
 * The client under test for the conformance suite: our MCP connection and logins, with a simulated user who follows
 * every redirect and keeps form defaults. The URL is the last argument.
 */
const url = process.argv.at(-1) as string
const home = mkdtempSync(path.join(tmpdir(), 'troupe-conformance-'))
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Partial<McpClient>
const { client_id, client_secret } = given
const at = {
  url,
  ...(client_id !== undefined && { client: { client_id, client_secret } }),
}
const logins = createOAuthLogins({
  store: createLoginFiles(home),
  redirectUrl: () => 'http://127.0.0.1:4880/ai/mcp/callback',
})
const server = createMcpServer({
  name: 'suite',
  trusted: { get: () => undefined, set: () => undefined },
  transport: (onText) =>
    createTransport({ type: 'http', url, headers: {} }, { folder: home, onText, authProvider: logins.provider(at) }),
})

async function logIn(): Promise<void> {
  const target = await logins.begin(at)
  if (target === undefined) return
  const response = await fetch(target, { redirect: 'manual' })
  const back = new URL(response.headers.get('location') ?? '')
  const { state = '', code = '', ...more } = Object.fromEntries(back.searchParams)
  await logins.finish({ state, code, ...more })
}

try {
  await server.connect()
  if (server.error?.includes('log in') === true) {
    await logIn()
    await server.connect()
  }
  if (server.state !== 'ready') throw new Error(server.error)
  for (const tool of server.tools()) {
    const input = tool.name.endsWith('add_numbers') ? { a: 2, b: 3 } : {}
    const ask = (): Promise<{ type: 'answers'; answers: Record<string, string> }> =>
      Promise.resolve({ type: 'answers', answers: { 0: 'Skip' } })
    try {
      await tool.execute(input, testToolContext({ ask }))
    } catch (error) {
      // The server wants more scope than the first login gave, so log in again.
      if (!(error as Error).message.includes('log in')) throw error
      await logIn()
      await tool.execute(input, testToolContext({ ask }))
    }
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${server.log()}\n`)
  process.exitCode = 1
} finally {
  await server.close()
  rmSync(home, { recursive: true, force: true })
}
