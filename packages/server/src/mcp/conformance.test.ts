import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testServer, type TestServer } from '../../test/test-server.ts'
import { createOffer } from './offer.ts'
import { serveOnPort } from './serve-offer.ts'

/** The public conformance suite. A slice of it always, all of it with `TROUPE_TEST_FULL=1`. */
const full = process.env['TROUPE_TEST_FULL'] === '1'
const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const testFolder = path.join(import.meta.dirname, '../../test')

/** Not run, each for a reason. */
const leftOut: Record<string, string> = {
  'auth/basic-cimd': 'wants a client that is described at a public https address; a program on a laptop has none',
  'auth/2025-03-26-oauth-metadata-backcompat':
    'its login names another issuer than the address it was found at, which RFC 8414 (3.3) has us refuse',
  'auth/client-credentials-jwt': 'an extension for programs without a person; logins here are those of a person',
  'auth/client-credentials-basic': 'the same',
  'auth/cross-app-access-complete-flow': 'an extension for companies with an identity provider of their own',
}

const clientSlice = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'auth/metadata-default']
const clientRest = [
  'sse-retry',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
]

/** The others are about resources, prompts, logging, sampling and tools with pictures, none of which we offer. */
const serverScenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'dns-rebinding-protection',
]

function runSuite(args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-suite-'))
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [suite, ...args],
      { cwd: folder, env: { ...process.env, NODE_OPTIONS: '', ...env }, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => {
        rmSync(folder, { recursive: true, force: true })
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` })
      },
    )
  })
}

test('every scenario is run or left out for a reason', async () => {
  const { output } = await runSuite(['list', '--client'])
  const listed = /Client scenarios[^\n]*\n([\s\S]*)$/.exec(output)?.[1]?.match(/(?<= {2}- )\S+/g) ?? []
  expect([...clientSlice, ...clientRest, ...Object.keys(leftOut)].toSorted()).toEqual(listed.toSorted())
})

describe('our client', () => {
  const flags = '--conditions=troupe-source --disable-warning=ExperimentalWarning'
  const command = `${process.execPath} ${flags} ${path.join(testFolder, 'mcp-conformance-client.ts')}`
  test.each([...clientSlice, ...(full ? clientRest : [])])('%s', { timeout: 60_000 }, async (scenario) => {
    const { code, output } = await runSuite(['client', '--command', command, '--scenario', scenario])
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' })
  })
})

describe('our server', () => {
  let server: TestServer
  let served: { url: string; close(): Promise<void> }
  beforeAll(async () => {
    server = await testServer({
      tools: {
        test_simple_text: toolFile('test_simple_text', `() => 'This is a simple text response for testing.'`),
        test_error_handling: toolFile(
          'test_error_handling',
          `() => { throw new Error('This tool intentionally returns an error for testing') }`,
        ),
      },
    })
    const tools = ['test_simple_text', 'test_error_handling']
    const offer = await createOffer({ fetch: (target, init) => server.fetch(target, init), tools, version: '1' })
    served = await serveOnPort(offer, { port: 0, token: server.token })
  })
  afterAll(async () => {
    await served.close()
    await server.close()
  })

  test.each(full ? serverScenarios : serverScenarios.slice(0, 4))('%s', { timeout: 60_000 }, async (scenario) => {
    const { code, output } = await runSuite(['server', '--url', served.url, '--scenario', scenario], {
      NODE_OPTIONS: `--import=${path.join(testFolder, 'add-authorization.mjs')}`,
      TROUPE_TEST_TOKEN: server.token,
      TROUPE_TEST_SUITE: suite,
    })
    expect({ code, output: code === 0 ? '' : output.slice(-3000) }).toEqual({ code: 0, output: '' })
  })
})

function toolFile(name: string, execute: string): string {
  return `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  name: '${name}', description: 'For the suite.', input: z.object({}), readOnly: true, group: 'test', execute: ${execute},
})`
}
