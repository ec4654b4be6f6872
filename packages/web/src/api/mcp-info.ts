/** An MCP server as `GET /ai/mcp` lists it. Texts of the server itself are anybody's. */
export interface McpInfo {
  name: string
  origin: 'home' | 'project'
  /** Where it is written down. */
  file: string
  /** It stands in the person's own settings. */
  editable: boolean
  type: 'stdio' | 'http' | 'sse' | null
  command: string | null
  args: string[]
  cwd: string | null
  url: string | null
  /** Names only: values never come out. */
  env: string[]
  headers: string[]
  enabled: boolean
  state: 'connecting' | 'ready' | 'failed' | 'needs-trust' | 'disabled'
  error: string | null
  problems: string[]
  /** When it is tried again, in milliseconds since 1970. */
  retryAt: number | null
  /** What the person is asked to trust; the fingerprint stands for exactly that. */
  trust: { what: 'command' | 'tools'; fingerprint: string } | null
  login: 'needed' | 'done' | null
  title: string | null
  instructions: string | null
  tools: McpToolInfo[]
  prompts: { name: string; description: string }[]
  resources: { uri: string; name: string }[]
  /** What its tools in use cost in every model call, estimated. */
  tokens: number
}

export interface McpToolInfo {
  name: string
  /** As models and rules know it. */
  toolName: string
  title: string
  description: string
  readOnlyHint: boolean
  enabled: boolean
  tokens: number
}

export interface McpList {
  servers: McpInfo[]
  /** What is wrong with the files, in sentences. */
  problems: { path: string; message: string }[]
}

/** How a server is reached: a program, or an address. */
export interface McpEntry {
  type?: string
  command?: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
  url?: string
  headers?: Record<string, string>
  timeout?: number
}

export interface McpPatch {
  enabled?: boolean
  /** Null: all that there are. */
  useTools?: string[] | null
}

export interface McpTest {
  ok: boolean
  ms: number
  error: string | null
}
