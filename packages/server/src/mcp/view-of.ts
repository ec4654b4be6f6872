import { mcpToolName } from '@troupe/core'
import type { McpView } from './mcp-view.ts'
import { usedTools, type PlannedServer } from './plan-server.ts'

export function toMcpView(one: PlannedServer, login: McpView['login']): McpView {
  const { source, server, memory, state, error, fingerprint, config } = one
  const { entry, name, origin, file, editable, problem } = source
  const used = usedTools(entry, memory)
  const shownState = state === 'running' ? (server?.state ?? 'connecting') : state
  const tools = (server?.listed ?? []).map((tool) => ({
    name: tool.name,
    toolName: mcpToolName(name, tool.name),
    title: tool.annotations?.title ?? tool.title ?? tool.name,
    description: tool.description ?? '',
    readOnlyHint: tool.annotations?.readOnlyHint === true,
    enabled: used?.has(tool.name) ?? true,
    tokens: Math.ceil(JSON.stringify([tool.name, tool.description, tool.inputSchema]).length / 4),
  }))
  return {
    name,
    origin,
    file,
    editable,
    type: config?.type ?? (entry?.command === undefined ? (entry?.type === 'sse' ? 'sse' : 'http') : 'stdio'),
    command: entry?.command ?? null,
    args: entry?.args ?? [],
    cwd: entry?.cwd ?? null,
    url: entry?.url ?? null,
    env: Object.keys(entry?.env ?? {}),
    headers: Object.keys(entry?.headers ?? {}),
    timeout: entry?.timeout ?? null,
    enabled: state !== 'disabled',
    state: shownState,
    error: error ?? problem ?? server?.error ?? null,
    problems: [...(server?.problems ?? [])],
    retryAt: server?.retryAt ?? null,
    trust: trustOf(),
    login,
    title: server?.title ?? null,
    instructions: server?.instructions ?? null,
    tools,
    prompts: (server?.prompts ?? []).map((prompt) => ({
      name: prompt.name,
      description: prompt.description ?? '',
      arguments: (prompt.arguments ?? []).map((argument) => ({
        name: argument.name,
        description: argument.description ?? '',
        required: argument.required === true,
      })),
    })),
    resources: (server?.resources ?? []).map((resource) => ({
      uri: resource.uri,
      name: resource.name,
      description: resource.description ?? '',
    })),
    tokens: tools.reduce((sum, tool) => sum + (tool.enabled ? tool.tokens : 0), 0),
  }

  function trustOf(): McpView['trust'] {
    if (state === 'needs-trust' && fingerprint !== undefined) return { what: 'command', fingerprint }
    if (server?.state === 'needs-trust' && server.toolsFingerprint !== undefined)
      return { what: 'tools', fingerprint: server.toolsFingerprint }
    return null
  }
}
