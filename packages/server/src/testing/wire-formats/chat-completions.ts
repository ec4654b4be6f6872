import { argumentsOf, deltas, event, finishOf, usageOf, type WireFormat, type WireUsage } from './wire-turn.ts'

export interface ChatDialect {
  reasoning?: 'reasoning_content' | 'reasoning'
  usage(usage: WireUsage): object
  /** True if usage comes in its own chunk after the last choice. */
  usageAlone: boolean
}

/** OpenAI's chat completions. DeepSeek, Moonshot, Qwen and all local servers use a dialect of it. */
export function chatCompletions(dialect: ChatDialect): WireFormat {
  return {
    events(turn, model) {
      const base = { id: 'chatcmpl-wire', object: 'chat.completion.chunk', created: 1_760_000_000, model }
      const choice = (delta: object, finish: string | null = null, extra: object = {}): string =>
        event({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...extra })
      const events = [choice({ role: 'assistant', content: '' })]
      if (dialect.reasoning) {
        for (const part of deltas(turn.reasoning ?? '')) events.push(choice({ [dialect.reasoning]: part }))
      }
      for (const part of deltas(turn.text ?? '')) events.push(choice({ content: part }))
      for (const part of deltas(turn.refusal ?? '')) events.push(choice({ refusal: part }))
      for (const [index, call] of (turn.calls ?? []).entries()) {
        const start = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
        events.push(choice({ tool_calls: [start] }))
        for (const part of deltas(argumentsOf(turn, index))) {
          events.push(choice({ tool_calls: [{ index, function: { arguments: part } }] }))
        }
      }
      if (turn.error) return [...events, event({ error: { ...turn.error, code: null, param: null } })]
      const usage = dialect.usage(usageOf(turn))
      const finish = turn.ends?.reason ?? finishOf(turn).replace('-', '_')
      events.push(choice({}, finish, dialect.usageAlone ? {} : { usage }))
      if (dialect.usageAlone) events.push(event({ ...base, choices: [], usage }))
      return [...events, 'data: [DONE]\n\n']
    },
    errorBody: (status, message) => ({
      error: { message, type: errorTypes[status] ?? 'invalid_request_error', param: null, code: null },
    }),
  }
}

export function commonUsage({ input, cached, output, reasoning }: WireUsage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

const errorTypes: Record<number, string> = { 401: 'authentication_error', 429: 'rate_limit_error', 500: 'server_error' }
