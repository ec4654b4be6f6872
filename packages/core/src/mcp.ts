/** The MCP client. */
export { createTransport } from './mcp/create-transport.ts'
export { mcpToolName } from './mcp/mcp-tool.ts'
export { openConnection } from './mcp/open-connection.ts'
export type { McpConnection } from './mcp/open-connection.ts'
export { mcpLimits } from './mcp/server-config.ts'
export type { McpServerConfig } from './mcp/server-config.ts'
export type { ServerTransport } from './mcp/stdio-transport.ts'
