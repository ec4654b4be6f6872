import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { promptArguments, type PromptCommand, promptCommands } from './prompt-commands.ts'

const program = path.join(import.meta.dirname, '../../../core/testing/mcp-server.mjs')
const files = { command: process.execPath, args: [program, 'good'] }

describe('prompts of MCP servers', () => {
  let server: TestServer
  beforeEach(async () => {
    server = await testServer({ config: { mcpServers: { files } }, env: { PATH: process.env['PATH'] } })
  })
  afterEach(() => server.close())

  const told = (): string[] => {
    const prompt = server.model.calls.at(-1)?.prompt as LanguageModelV4Prompt
    const message = prompt.findLast(({ role }) => role === 'user') as Extract<
      LanguageModelV4Prompt[number],
      { role: 'user' }
    >
    return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  }

  it('are commands whose text comes before yours and is not expanded', async () => {
    writeFileSync(path.join(server.workspace.path, 'notes.md'), 'my notes')
    const { message } = await server.chat('s1', '/mcp:files:greet Ada Lovelace')
    expect(message.metadata?.error).toBeUndefined()
    expect(told()).toEqual([
      '<mcp-prompt name="mcp:files:greet">\nGreet Ada Lovelace @notes.md <\\/mcp-prompt>\n</mcp-prompt>',
      '/mcp:files:greet Ada Lovelace',
    ])
    const [stored] = await server.messages('s1')
    expect(stored?.parts[0]).toMatchObject({
      type: 'data-command',
      data: { name: 'mcp:files:greet', path: 'mcp://files/greet', scope: 'mcp' },
    })
  })

  it('with several messages name the roles, and list non-text parts', async () => {
    await server.chat('s1', '/mcp:files:code_review src/run.ts focus="the loop"')
    expect(told()[0]).toBe(
      '<mcp-prompt name="mcp:files:code_review">\nuser: Review src/run.ts, mind the loop.\n\nassistant: Which way?\n\n' +
        'user: [image: image/png, image 1 below]\n\nuser: [resource: memo://1]\na memo\n</mcp-prompt>',
    )
    const prompt = server.model.calls.at(-1)?.prompt as LanguageModelV4Prompt
    const content = prompt.findLast(({ role }) => role === 'user')?.content as { type: string; mediaType?: string }[]
    expect(content.map(({ type, mediaType }) => mediaType ?? type)).toEqual(['text', 'image/png', 'text'])
  })

  it('with missing arguments are rejected before anything is stored', async () => {
    const { status, error } = await server.chat('s1', '/mcp:files:code_review')
    expect(status).toBe(422)
    expect(error).toMatchObject({
      name: 'CommandArguments',
      message:
        '/mcp:files:code_review was not sent: missing "file" (what to look at). Write /mcp:files:code_review <file> [focus], or name=value for each argument.',
    })
    expect(await server.store.sessions.get('s1')).toBeUndefined()
  })

  it('that the server rejects are reported, and unknown ones are text', async () => {
    const { status, error } = await server.chat('s1', '/mcp:files:broken')
    expect(status).toBe(502)
    expect(error?.message).toBe('The MCP server "files" reported: it is broken')
    const { message } = await server.chat('s1', '/mcp:files:nothing')
    expect(message.parts[0]).toMatchObject({ type: 'data-hint' })
    expect(told()).toEqual(['/mcp:files:nothing'])
  })

  it('of an unavailable server show the reason, and nothing is sent', async () => {
    await server.json('/ai/mcp/files', { method: 'PATCH', body: { enabled: false } })
    const { status, error } = await server.chat('s1', '/mcp:files:greet Ada')
    expect([status, error?.name]).toEqual([409, 'McpNotRunning'])
    expect(error?.message).toBe(
      '/mcp:files:greet was not sent: the MCP server "files" is not available. You turned it off.',
    )
    expect(await server.store.sessions.get('s1')).toBeUndefined()
  })

  it('are listed, completed and shown by /help', async () => {
    await server.mcp.of(server.workspace).complete(10_000)
    const { body } = await server.json<{ commands: { name: string }[]; problems: object[] }>('/ai/commands')
    expect(body.commands.filter(({ name }) => name.startsWith('mcp:'))).toMatchObject([
      { name: 'mcp:files:greet', description: 'Greets', argument: '[who]', scope: 'mcp' },
      { name: 'mcp:files:code_review', description: 'Reviews a file', argument: '<file> [focus]' },
      { name: 'mcp:files:broken' },
    ])
    expect(body.problems).toEqual([
      { path: 'mcp://files/code/review', message: '/mcp:files:code_review is already used by mcp://files/Code Review' },
    ])
    const completed = await server.json<{ items: object[] }>('/ai/complete?text=/mcp:files:c')
    expect(completed.body.items).toMatchObject([
      { kind: 'command', insert: '/mcp:files:code_review ', label: '/mcp:files:code_review <file> [focus]' },
    ])
    const help = await server.chat('s1', '/help')
    expect(JSON.stringify(help.message.parts)).toContain('`/mcp:files:greet [who]`: Greets')
  })
})

describe('arguments of a prompt', () => {
  const [command] = promptCommands([
    {
      name: 'a.b',
      state: 'ready',
      prompts: [
        { name: 'x', arguments: [{ name: 'one', required: true }, { name: '__proto__' }, { name: 'rest' }] },
      ] as never,
    },
  ]).commands as [PromptCommand]

  it.each<[string, object]>([
    ['1', { one: '1' }],
    ['"1 2" 3', { one: '1 2', ['__proto__']: '3' }],
    ['1 2 three  four\n  five', { one: '1', ['__proto__']: '2', rest: 'three  four\n  five' }],
    ['rest="a b" one=1', { one: '1', rest: 'a b' }],
    ['1 rest=2 x y', { one: '1', ['__proto__']: 'x y', rest: '2' }],
    ['1 2 3 rest=4', { one: '1', ['__proto__']: '2 3', rest: '4' }],
    ['other=1', { one: 'other=1' }],
    ["one='' x", { one: '', ['__proto__']: 'x' }],
  ])('%s', (text, wanted) => {
    expect(command.name).toBe('mcp:a_b:x')
    expect(new Map(Object.entries(promptArguments(command, text)))).toEqual(new Map(Object.entries(wanted)))
  })

  it.each([
    ['one=1 one=2', '"one" is given twice'],
    ['one=1 __proto__=2 rest=3 4', 'unexpected argument "4"'],
    ['', 'missing "one"'],
    ['rest=2', 'missing "one"'],
  ])('%s is refused', (text, why) => {
    expect(() => promptArguments(command, text)).toThrow(why)
  })
})
