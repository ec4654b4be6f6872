import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { createMcpService } from './create-mcp-server.ts'
import { serveOverHttp } from './serve.ts'

/** The public conformance suite. Runs a subset by default, and all of it with `TROUPE_TEST_FULL=1`. */
const full = process.env['TROUPE_TEST_FULL'] === '1'
const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
const testFolder = path.join(import.meta.dirname, '../../testing')

const leftOut: Record<string, string> = {
  'auth/basic-cimd': 'wants a client that is described at a public https address; a program on a laptop has none',
  'auth/2025-03-26-oauth-metadata-backcompat':
    'its login names another issuer than the address it was found at, which RFC 8414 (3.3) has us refuse',
  'auth/client-credentials-jwt': 'an extension for programs without a person; logins here are those of a person',
  'auth/client-credentials-basic': 'the same',
  'auth/cross-app-access-complete-flow': 'an extension for companies with an identity provider of their own',
}

// Every other scenario initializes, and the one with a form calls a tool.
const clientSlice = ['elicitation-sep1034-client-defaults', 'auth/metadata-default']
const clientRest = [
  'initialize',
  'tools_call',
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

const serverSlice = ['tools-call-mixed-content', 'prompts-get-with-args']
const serverRest = [
  'server-initialize',
  'tools-call-with-progress',
  'logging-set-level',
  'ping',
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-with-logging',
  'tools-call-error',
  'json-schema-2020-12',
  'server-sse-multiple-streams',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-embedded-resource',
  'dns-rebinding-protection',
]

const ownAsks = 'who approves and answers is the person at Troupe: a program that is asked could say yes to itself'
const noResources = 'files are read with the tool Read, which rules hold for; a resource would be a second way to them'

const serverLeftOut: Record<string, string> = {
  'tools-call-sampling': "agents use the models of the person's home, and never those of the program that calls them",
  'tools-call-elicitation': ownAsks,
  'elicitation-sep1034-defaults': `forms with defaults are not sent: ${ownAsks}`,
  'elicitation-sep1330-enums': `forms with choices are not sent: ${ownAsks}`,
  'server-sse-polling':
    'it asks by the rules of 2025-03-26 for what came with 2025-11-25; see http-sessions.test.ts for the same by those',
  'resources-list': noResources,
  'resources-read-text': noResources,
  'resources-read-binary': `${noResources}; pictures come with its result`,
  'resources-templates-read': `there are no templates without resources: ${noResources}`,
  'resources-subscribe': `there is nothing to be told of: ${noResources}`,
  'resources-unsubscribe': 'nobody can have subscribed: there are no resources',
  'prompts-get-with-image': "a prompt is a Markdown file of the person's, which holds text and names texts",
}

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
  const { output } = await runSuite(['list'])
  const listed = (side: string): string[] =>
    new RegExp(`^${side} scenarios \\(test[^\\n]*\\n((?: {2}- .*\\n)*)`, 'm')
      .exec(output)?.[1]
      ?.match(/(?<= {2}- )\S+/g) ?? []
  expect([...clientSlice, ...clientRest, ...Object.keys(leftOut)].toSorted()).toEqual(listed('Client').toSorted())
  expect([...serverSlice, ...serverRest, ...Object.keys(serverLeftOut)].toSorted()).toEqual(listed('Server').toSorted())
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
        test_image_content: toolFile('test_image_content', keeping(['image/png'])),
        test_audio_content: toolFile('test_audio_content', keeping(['audio/wav'])),
        test_embedded_resource: toolFile('test_embedded_resource', keeping(['application/pdf'])),
        test_multiple_content_types: toolFile('test_multiple_content_types', keeping(['image/png', 'application/pdf'])),
        test_tool_with_logging: toolFile('test_tool_with_logging', telling),
        test_tool_with_progress: toolFile('test_tool_with_progress', telling),
        json_schema_2020_12_tool: toolFile('json_schema_2020_12_tool', `() => 'x'`, `jsonSchema: ${newSchema},`),
        test_simple_text: toolFile('test_simple_text', `() => 'This is a simple text response for testing.'`),
        test_error_handling: toolFile(
          'test_error_handling',
          `() => { throw new Error('This tool intentionally returns an error for testing') }`,
        ),
      },
    })
    const command = (name: string, text: string): void =>
      writeFileSync(path.join(server.homePath, 'commands', `${name}.md`), text)
    mkdirSync(path.join(server.homePath, 'commands'))
    writeFileSync(path.join(server.workspace.path, 'notes.md'), 'Notes.')
    command('test_simple_prompt', 'This is a simple prompt for testing.')
    command('test_prompt_with_arguments', '---\nargument-hint: <arg1> <arg2>\n---\narg1=$1, arg2=$2')
    command('test_prompt_with_embedded_resource', '---\nargument-hint: <resourceUri>\n---\nLook at $1 and @notes.md')
    const tools = [
      'test_simple_text',
      'test_error_handling',
      'test_image_content',
      'test_audio_content',
      'test_embedded_resource',
      'test_multiple_content_types',
      'test_tool_with_logging',
      'test_tool_with_progress',
      'json_schema_2020_12_tool',
    ]
    const offer = await createMcpService({ fetch: (target, init) => server.fetch(target, init), tools, version: '1' })
    served = await serveOverHttp(offer, { port: 0, token: server.token })
  })
  afterAll(async () => {
    await served.close()
    await server.close()
  })

  test.each([...serverSlice, ...(full ? serverRest : [])])('%s', { timeout: 60_000 }, async (scenario) => {
    const { code, output } = await runSuite(['server', '--url', served.url, '--scenario', scenario], {
      NODE_OPTIONS: `--import=${path.join(testFolder, 'add-authorization.mjs')}`,
      TROUPE_TEST_TOKEN: server.token,
      TROUPE_TEST_SUITE: suite,
    })
    const isFine = code === 0 && output.includes('0 failed, 0 warnings')
    expect({ isFine, output: isFine ? '' : output.slice(-3000) }).toEqual({ isFine: true, output: '' })
  })
})

function keeping(mediaTypes: string[]): string {
  return `async (_, ctx) => {
    const files = []
    for (const mediaType of ${JSON.stringify(mediaTypes)}) {
      const { sha256, size } = await ctx.blobs.put(new Uint8Array([1, 2, 3]), mediaType)
      files.push({ mediaType, size, blob: sha256 })
    }
    return { files }
  }`
}

const telling = `async (_, ctx) => {
  for (const delta of ['started', 'at it', 'done']) {
    ctx.emit('tool-progress', { toolCallId: ctx.toolCallId, delta }, { transient: true })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return 'It is done.'
}`

const newSchema = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
})

function toolFile(name: string, execute: string, more = ''): string {
  return `import { defineTool } from '@troupe/core'
import { z } from 'zod'
export default defineTool({
  name: '${name}', description: 'For the suite.', input: z.object({}), readOnly: true, group: 'test', ${more} execute: ${execute},
})`
}
