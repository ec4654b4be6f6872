import type { GetPromptResult, McpServer, Prompt } from '@modelcontextprotocol/server'
import { type Answered, newId, type Part } from '@troupe/protocol'
import { exposeAgents, exposeTools, type McpServiceOptions, readResponse } from './exposed-tools.ts'

/** Troupe as an MCP server for other programs: agents, selected tools, and the user's commands as prompts. */
export interface McpService {
  server(): Promise<McpServer>
  names: string[]
}

/** Throws an Error that names missing agents or tools. */
export async function createMcpService(options: McpServiceOptions): Promise<McpService> {
  const { McpServer: SdkServer, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server')
  const conversation = newId('mcp_')
  const offered = [...(await exposeAgents(options)), ...(await exposeTools(options, conversation))]
  const byName = new Map(offered.map((tool) => [tool.name, tool]))
  return {
    names: [...byName.keys()],
    async server() {
      const made = new SdkServer(
        { name: 'troupe', title: 'Troupe', version: options.version },
        {
          capabilities: { tools: {}, prompts: {}, completions: {}, logging: {} },
          instructions: 'Agents and tools of a Troupe workspace. Calls that would need approval are denied.',
        },
      )
      const { server } = made
      await exposePrompts(server, options.fetch)
      server.setRequestHandler('tools/list', () => ({ tools: offered.map(({ call: _, ...tool }) => tool) }))
      server.setRequestHandler('tools/call', async ({ params }, ctx) => {
        const tool = byName.get(params.name)
        if (tool === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name.slice(0, 100)}".`)
        try {
          return await tool.call(params.arguments ?? {}, ctx)
        } catch (error) {
          return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
        }
      })
      return made
    },
  }
}

type Fetch = McpServiceOptions['fetch']

/** Exposes the user's commands as prompts, with argument completion. Reads them from disk on each request. */
async function exposePrompts(server: McpServer['server'], request: Fetch): Promise<void> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server')
  const refusal = (text: string): Error => new ProtocolError(ProtocolErrorCode.InvalidParams, text)
  const find = async (name: string): Promise<Prompt> => {
    const prompt = (await listPrompts(request)).find((one) => one.name === name)
    if (prompt === undefined) throw refusal(`There is no prompt "${name.slice(0, 100)}".`)
    return prompt
  }

  server.setRequestHandler('prompts/list', async () => ({ prompts: await listPrompts(request) }))
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const prompt = await find(params.name)
    const given = params.arguments ?? {}
    const missing = prompt.arguments?.find(({ name, required }) => required === true && given[name] === undefined)
    if (missing !== undefined) throw refusal(`The prompt "${prompt.name}" needs "${missing.name}".`)
    const words = prompt.arguments?.map(({ name }) => given[name] ?? '') ?? []
    return getPrompt(prompt, words, request)
  })
  server.setRequestHandler('completion/complete', async ({ params }) => {
    if (params.ref.type !== 'ref/prompt') throw refusal('Only prompt arguments can be completed.')
    await find(params.ref.name)
    return { completion: await completePath(params.argument.value, request) }
  })
}

async function listPrompts(request: Fetch): Promise<Prompt[]> {
  const { commands } = await readResponse<Answered<'GET /ai/commands'>>(await request('/ai/commands'))
  return commands
    .filter(({ scope }) => scope === 'home' || scope === 'workspace')
    .map(({ name, description, argument }) => ({ name, description, arguments: argumentsIn(argument) }))
}

const catchAllArgument = { name: 'arguments', description: 'The text after the command name', required: false }

/**
 * Parses an argument hint. `<file> [focus]` has two arguments, the first required. Any other format counts as one
 * argument.
 */
function argumentsIn(hint: string | undefined): { name: string; description?: string; required: boolean }[] {
  const named = Array.from((hint ?? '').matchAll(/<([^<>[\]]+)>|\[([^<>[\]]+)\]/g), ([, needed, free]) => {
    return { name: (needed ?? free ?? '').trim(), required: needed !== undefined }
  })
  const isWhole = (hint ?? '').replace(/<[^<>[\]]+>|\[[^<>[\]]+\]/g, '').trim() === ''
  return named.length > 0 && isWhole && new Set(named.map(({ name }) => name)).size === named.length
    ? named
    : [catchAllArgument]
}

async function getPrompt(prompt: Prompt, words: string[], request: Fetch): Promise<GetPromptResult> {
  const rest = words.length === 1 ? (words[0] ?? '') : words.map(quoted).join(' ').trimEnd()
  const response = await request(`/ai/commands/${encodeURIComponent(prompt.name)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rest }),
  })
  const { parts } = await readResponse<Answered<'POST /ai/commands/:name'>>(response)
  return { description: prompt.description, messages: parts.flatMap(promptMessages) }
}

function quoted(word: string): string {
  if (word !== '' && !/[\s"']/.test(word)) return word
  return word.includes('"') ? `'${word.replaceAll("'", '’')}'` : `"${word}"`
}

/** Returns the command's text unchanged, with its expansions as resources. */
function promptMessages(part: Part): GetPromptResult['messages'] {
  const { name, path, content } = ('data' in part ? part.data : {}) as {
    name?: string
    path?: string
    content?: string
  }
  if (content === undefined || content === '') return []
  if (part.type === 'data-command') return [{ role: 'user', content: { type: 'text', text: content } }]
  if (part.type !== 'data-skill' && part.type !== 'data-mention') return []
  const uri = `troupe:${encodeURI(path ?? name ?? '')}`
  return [{ role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: content } } }]
}

/** Command arguments are mostly files. */
async function completePath(value: string, request: Fetch): Promise<{ values: string[]; hasMore: boolean }> {
  const query = new URLSearchParams({ text: `@${value.slice(0, 400)}` })
  const { items } = await readResponse<Answered<'GET /ai/complete'>>(await request(`/ai/complete?${query.toString()}`))
  const paths = items.flatMap(({ kind, label }) => (kind === 'file' || kind === 'folder' ? [label] : []))
  return { values: paths.slice(0, 100), hasMore: paths.length > 100 }
}
