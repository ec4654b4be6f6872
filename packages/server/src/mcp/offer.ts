import { newId } from '@troupe/core'
import type { McpServer } from '@modelcontextprotocol/server'
import { exposeAgents } from './offer-agents.ts'
import type { McpServiceOptions } from './offer-parts.ts'
import { exposePrompts } from './offer-prompts.ts'
import { exposeTools } from './offer-tools.ts'

/** What we offer to other programs as an MCP server: our agents, chosen tools, and the person's commands as prompts. */
export interface McpService {
  /** A server for one connection. */
  server(): Promise<McpServer>
  /** The tools, by the names that others see. */
  names: string[]
}

/** Throws an Error that names what is not there. */
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
          instructions: 'Agents and tools of a Troupe workspace. What would need an approval there is denied.',
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
