import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  createMemoryAsks,
  createMemoryLog,
  findTool,
  NamedError,
  newId,
  run,
  type AgentState,
  type Blobs,
  type Browser,
  type Chunk,
  type Hook,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { ruleLines, type Permissions } from '../permission/permissions.ts'
import type { RuleTexts } from '../permission/rule-layers.ts'

export interface ToolCallResult {
  state: 'output-available' | 'output-error' | 'output-denied'
  output: unknown
  /** What a model would read of it. */
  text: string
}

/** Runs one call for a program that is not a conversation of ours. Throws `ToolNotFound` (404). */
export type CallTool = (
  call: { tool: string; input: unknown; sessionId: string; rules?: RuleTexts },
  workspace: Workspace,
  signal: AbortSignal,
  /** Told what the call says while it runs. */
  onChunk?: (chunk: Chunk) => void,
) => Promise<ToolCallResult>

/**
 * A call goes the way that calls of agents go: rules, hooks, limits, results. Nobody is there to ask, so that whatever
 * would ask is denied.
 */
export function createCallTool(options: {
  permissions: Permissions
  tools(workspaceId: string): readonly Tool[]
  hooks(workspace: Workspace): Hook[]
  state(sessionId: string, workspace: Workspace): AgentState
  blobs: Blobs
  browser: Browser
  redact(text: string): string
  settings(name: string): unknown
}): CallTool {
  const { permissions } = options
  return async ({ tool: name, input, sessionId, rules = {} }, workspace, signal, onChunk) => {
    const tools = options.tools(workspace.id)
    const tool = findTool(name, tools)
    if (tool === undefined)
      throw new NamedError('ToolNotFound', `There is no tool "${name.slice(0, 100)}".`, { status: 404 })
    const policy = (): ReturnType<Permissions['policy']> =>
      permissions.policy(workspace, { rules: ruleLines(rules, 'flag', workspace.path) })
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
      asks: createMemoryAsks(() => ({ type: 'deny', remark: 'Nobody is here to ask.' })),
      blobs: options.blobs,
      browser: options.browser,
      decide: (call, ctx) =>
        permissions.explain(
          { tool: call.tool.name, input: call.input },
          { place: workspace, ctx, policy: policy(), tools },
        ),
      hooks: options.hooks(workspace),
      state: () => options.state(sessionId, workspace),
      redact: options.redact,
      settings: options.settings,
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

/** Stands where a model would: it makes this call and nothing else. */
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
    doGenerate: () => Promise.reject(new Error('It only makes a call.')),
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
