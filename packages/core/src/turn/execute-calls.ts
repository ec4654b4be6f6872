import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { newId } from '../protocol/ids.ts'
import { run } from '../run/run.ts'
import type { Tool } from '../tool.ts'
import type { AgentOptions } from './agent-options.ts'
import { createCallLogs, runInput } from './attempt.ts'
import type { ToolLog } from './tool-log.ts'

/** A call that a plan asks for. */
export interface PlannedCall {
  purpose: string
  name: string
  kwargs: unknown
}

export interface PlannedCallOptions {
  settings: AgentOptions
  session: string
  runId: string
  signal: AbortSignal
  tools: readonly Tool[]
}

/**
 * Runs planned calls as a run runs those of a model, by playing them to it: checked by their schema, under permissions,
 * read-only neighbours together and each write alone. What goes wrong becomes the `error` of its log.
 */
export async function executeCalls(planned: readonly PlannedCall[], ground: PlannedCallOptions): Promise<ToolLog[]> {
  const { settings, tools, signal } = ground
  const calls = planned.map((plan) => ({ ...plan, id: newId('call_') }))
  const logs = new Map<string, ToolLog>()
  const hear = createCallLogs((log, toolCallId) => logs.set(toolCallId, log))
  const input = runInput({ ...ground, settings: { ...settings, model: modelPlayingCalls(calls, settings.model) } })
  await run({
    ...input,
    tools,
    history: [],
    limits: { ...settings.limits, steps: 1 },
    log: { append: hear, note: () => undefined, sync: () => Promise.resolve() },
  })
  signal.throwIfAborted()
  return calls.map(({ id, name, kwargs, purpose }) => ({
    ...(logs.get(id) ?? { name, kwargs, error: 'Not run: an earlier call was refused.' }),
    purpose,
  }))
}

/** The model, but for its first answer: that makes the planned calls. */
function modelPlayingCalls(calls: readonly (PlannedCall & { id: string })[], model: LanguageModelV4): LanguageModelV4 {
  let played = false
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    doStream(options) {
      if (played) return model.doStream(options)
      played = true
      return Promise.resolve({ stream: streamOf(streamParts(calls)) })
    },
  }
}

function streamOf<T>(items: Iterable<T>): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item)
      controller.close()
    },
  })
}

function* streamParts(calls: readonly (PlannedCall & { id: string })[]): Generator<LanguageModelV4StreamPart, void> {
  yield { type: 'stream-start', warnings: [] }
  for (const { id, name, kwargs } of calls) {
    yield { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(kwargs ?? {}) }
  }
  yield {
    type: 'finish',
    finishReason: { unified: 'tool-calls', raw: 'plan' },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 0, text: 0, reasoning: undefined },
    },
  }
}
