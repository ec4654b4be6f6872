import type { McpInfo, McpToolInfo } from '../api/settings-types.ts'

export function mcpServer(fields: Partial<McpInfo> = {}): McpInfo {
  return {
    name: 'files',
    origin: 'home',
    file: '/home/config.json',
    editable: true,
    version: 'v1',
    type: 'stdio',
    command: 'npx',
    args: [],
    cwd: null,
    timeout: null,
    url: null,
    env: [],
    headers: [],
    enabled: true,
    state: 'ready',
    error: null,
    problems: [],
    retryAt: null,
    trust: null,
    login: null,
    title: null,
    instructions: null,
    tools: [],
    prompts: [],
    resources: [],
    tokens: 0,
    ...fields,
  }
}

export function mcpTool(name: string, fields: Partial<McpToolInfo> = {}): McpToolInfo {
  return {
    name,
    toolName: `mcp__files_${name}`,
    title: name,
    description: '',
    readOnlyHint: false,
    enabled: true,
    tokens: 10,
    ...fields,
  }
}
