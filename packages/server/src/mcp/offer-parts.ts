import type { CallToolResult, ServerContext, Tool as OfferedTool } from '@modelcontextprotocol/server'
import type { RuleTexts } from '../permission/rule-layers.ts'

export interface McpServiceOptions {
  /** Requests to the server that owns the home, about the workspace. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Tools by name; none by default. */
  tools?: readonly string[]
  /** Agents by name. Default: all that can be used. */
  agents?: readonly string[]
  /** Hold for these calls alone. */
  rules?: RuleTexts
  model?: string
  /** Sessions that agents may go on with besides those that they began themselves. */
  sessions?: readonly string[]
  version: string
}

/** A tool as others see it, and what a call of it does. */
export interface ExposedTool extends OfferedTool {
  call(input: Record<string, unknown>, ctx: ServerContext): Promise<CallToolResult>
}

/** What goes on in a call: for who asked to be told how far it is, and for who reads the log. */
export async function sendProgress(ctx: ServerContext, progress: number, message: string, who: string): Promise<void> {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken !== undefined)
    await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  // Newer versions of the protocol do without; programs of the versions in use read it.
  // oxlint-disable-next-line typescript/no-deprecated
  await ctx.mcpReq.log('info', message, who)
}

/** The body of an answer. Throws the error that it is. */
export async function readResponse<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } }
  if (response.ok) return body as T
  throw new Error(body.error?.message ?? `Troupe answered with the status ${response.status}.`)
}
