import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  type AgentState,
  type Blobs,
  type Browser,
  createMemoryAsks,
  createMemoryLog,
  findTool,
  type Queries,
  type Hook,
  run,
  type Store,
  type Tool,
  type Workspace,
  decideCall,
} from '@troupe/core'
import { type Chunk, NamedError, newId, toolCallEndpoints, type ToolCallResult } from '@troupe/protocol'
import { type BlobScopes, personIdOf } from '../http/principal.ts'
import { implement, type Route, streamResponse } from '../http/route.ts'
import { sessionNotFound } from '../http/scope.ts'
import { type Permissions, ruleLines } from '../permission/permissions.ts'
import type { RuleTexts } from '../permission/rule-layers.ts'

/** Runs one tool call for an external program, outside any chat. Throws `ToolNotFound` (404). */
export type CallTool = (
  call: {
    tool: string
    input: unknown
    sessionId: string
    ownerId?: string | undefined
    rules?: RuleTexts
    blobs?: Blobs
  },
  workspace: Workspace,
  signal: AbortSignal,
  onChunk?: (chunk: Chunk) => void,
) => Promise<ToolCallResult>

/**
 * Applies the same rules, hooks, limits and result handling as agent calls. Nobody can approve, so calls that need
 * approval are denied.
 */
export function createCallTool(options: {
  permissions: Permissions
  tools: { enabled(workspaceId: string): readonly Tool[] }
  hooks: { of(workspace: Workspace): Hook[] }
  states: { of(session: { id: string; ownerId?: string | null }, workspace: Workspace): AgentState }
  blobs: Blobs
  browser: Browser
  queries?: Queries
  redact(text: string): string
  toolSettings(name: string): unknown
}): CallTool {
  const { permissions } = options
  return async (call, workspace, signal, onChunk) => {
    const { tool: name, input, sessionId, ownerId = null, rules = {}, blobs = options.blobs } = call
    const tools = options.tools.enabled(workspace.id)
    const tool = findTool(name, tools)
    if (tool === undefined)
      throw new NamedError('ToolNotFound', `There is no tool "${name.slice(0, 100)}".`, { status: 404 })
    const flags = ruleLines(rules, 'flag', workspace.path)
    const log = createMemoryLog()
    if (onChunk !== undefined) log.subscribe(onChunk)
    const { message } = await run({
      runId: newId('run_'),
      messageId: newId('msg_'),
      session: { id: sessionId },
      workspace,
      frames: [{ kind: 'master', name: 'mcp', depth: 0, path: ['mcp'] }],
      model: { id: 'troupe/call', model: singleCallModel(tool.name, input) },
      tools: [tool],
      history: [],
      limits: { steps: 1 },
      headless: true,
      signal,
      log,
      asks: createMemoryAsks(() => ({ type: 'deny', remark: 'Nobody is available to ask.' })),
      blobs,
      browser: options.browser,
      queries: options.queries,
      decide: (call, ctx) => decideCall(call, ctx, permissions.policy(workspace, { rules: flags })),
      hooks: options.hooks.of(workspace),
      state: () => options.states.of({ id: sessionId, ownerId }, workspace),
      redact: options.redact,
      settings: options.toolSettings,
    })
    const part = message.parts.find((one) => 'toolCallId' in one) as
      | { state: string; output?: unknown; errorText?: string; toolMetadata?: { troupe?: { modelText?: string } } }
      | undefined
    if (part?.state === 'output-available') {
      const { output } = part
      const told =
        part.toolMetadata?.troupe?.modelText ?? (typeof output === 'string' ? output : JSON.stringify(output))
      return { state: 'output-available', output, text: told }
    }
    const text = part?.errorText ?? denialReason(part) ?? message.metadata?.error?.message ?? 'The call did not run.'
    return { state: part?.state === 'output-denied' ? 'output-denied' : 'output-error', output: null, text }
  }
}

function denialReason(part: object | undefined): string | undefined {
  return (part as { approval?: { reason?: string } } | undefined)?.approval?.reason
}

/** A fake model that makes exactly this call. */
function singleCallModel(toolName: string, input: unknown): LanguageModelV4 {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-call', toolCallId: newId('call_'), toolName, input: JSON.stringify(input ?? {}) },
    {
      type: 'finish',
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage: { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } },
    },
  ]
  return {
    specificationVersion: 'v4',
    provider: 'troupe',
    modelId: 'call',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only makes a tool call.')),
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            controller.close()
          },
        }),
      }),
  }
}

export function toolCallRoutes(options: { callTool: CallTool; store: Store; blobScopes: BlobScopes }): Route[] {
  return implement(toolCallEndpoints, {
    'POST /ai/tools/:tool/call': async ({ principal, params, body, workspaceId }, c) => {
      const workspace = (await options.store.workspaces.get(workspaceId)) as Workspace
      const { input, sessionId, rules } = body
      const session = await options.store.sessions.get(sessionId)
      if (session !== undefined && session.workspaceId !== workspaceId) throw sessionNotFound(sessionId)
      const blobs = options.blobScopes.of(principal)
      const call = { tool: params.tool, input, sessionId, rules, blobs, ownerId: personIdOf(principal) }
      if (body.stream !== true) return { result: await options.callTool(call, workspace, c.req.raw.signal) }
      const gone = new AbortController()
      const early: Chunk[] = []
      let write = (chunk: Chunk): void => void early.push(chunk)
      const first = Promise.withResolvers<void>()
      const result = options.callTool(call, workspace, AbortSignal.any([c.req.raw.signal, gone.signal]), (chunk) => {
        if (chunk.type !== 'data-tool-progress') return
        write(chunk)
        first.resolve()
      })
      // An invalid call still gets an error response instead of a stream.
      await Promise.race([result, first.promise])
      return streamResponse(c, (sink) => {
        write = (chunk) => void sink.write(`data: ${JSON.stringify(chunk)}\n\n`)
        for (const chunk of early) write(chunk)
        result.then(
          (data) => {
            write({ type: 'data-call-result', data } as never)
            sink.end()
          },
          (error: unknown) => {
            write({ type: 'error', errorText: (error as Error).message })
            sink.end()
          },
        )
        return () => gone.abort()
      })
    },
  })
}
