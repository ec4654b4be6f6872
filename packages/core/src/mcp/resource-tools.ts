import { z } from 'zod'
import { defineTool, type Tool } from '../tool/tool.ts'
import { readContents } from './read-result.ts'
import type { McpServer } from './mcp-server.ts'

const shown = 200

/** Creates the tools that list and read MCP resources. Empty if no server has any. */
export function createResourceTools(servers: readonly McpServer[]): Tool[] {
  const offering = servers.filter(({ state, resources }) => state === 'ready' && resources.length > 0)
  if (offering.length === 0) return []
  const names = offering.map(({ name }) => name)
  const find = (name: string): McpServer => {
    const found = offering.find((server) => server.name === name)
    if (found === undefined)
      throw new Error(`No MCP server named "${name}" has resources. Servers with resources: ${names.join(', ')}.`)
    return found
  }
  return [
    defineTool({
      name: 'ListMcpResources',
      description: `Lists the resources of MCP servers (${names.join(', ')}) with their URIs for ReadMcpResource.`,
      input: z.object({ server: z.string().describe('List only this server').optional() }),
      readOnly: true,
      group: 'mcp',
      execute({ server }) {
        const from = server === undefined ? offering : [find(server)]
        return from.flatMap(({ name, resources }) =>
          resources.slice(0, shown).map((resource) => ({
            server: name,
            uri: resource.uri,
            name: resource.name,
            description: resource.description?.slice(0, 300),
            mimeType: resource.mimeType,
          })),
        )
      },
      toModel: (output) =>
        output
          .map(({ server, uri, name, description = '' }) => `${server} ${uri} ${name} ${description}`.trim())
          .join('\n'),
    }),
    defineTool({
      name: 'ReadMcpResource',
      description: 'Reads a resource of an MCP server by its URI from ListMcpResources.',
      input: z.object({ server: z.string(), uri: z.string().max(4000) }),
      readOnly: true,
      // The server may have side effects that we cannot see.
      needsApproval: true,
      group: 'mcp',
      title: ({ uri }) => uri,
      async execute({ server, uri }, ctx) {
        const found = await find(server).connection().readResource(uri, ctx.signal)
        return readContents(found, ctx, `${server}-resource`)
      },
    }),
  ]
}
