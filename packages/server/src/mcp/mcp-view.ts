import type { McpState } from '@troupe/core'

/** A server as the person sees it. Values of its environment and headers never leave the machine's own files. */
export interface McpView {
  name: string
  origin: 'home' | 'project'
  file: string
  editable: boolean
  type: 'stdio' | 'http' | 'sse' | null
  command: string | null
  args: string[]
  cwd: string | null
  url: string | null
  /** Names only. */
  env: string[]
  headers: string[]
  timeout: number | null
  enabled: boolean
  state: McpState
  error: string | null
  problems: string[]
  retryAt: number | null
  /** What the person is asked to trust, and what their answer has to name. */
  trust: { what: 'command' | 'tools'; fingerprint: string } | null
  /** The person has to log in, or has done so. */
  login: 'needed' | 'done' | null
  title: string | null
  instructions: string | null
  tools: McpToolView[]
  prompts: {
    name: string
    description: string
    arguments: { name: string; description: string; required: boolean }[]
  }[]
  resources: { uri: string; name: string; description: string }[]
  /** What its tools in use cost in every model call, estimated. */
  tokens: number
}

export interface McpToolView {
  name: string
  /** As models and rules know it. */
  toolName: string
  title: string
  description: string
  /** What the server says of it. */
  readOnlyHint: boolean
  enabled: boolean
  tokens: number
}
