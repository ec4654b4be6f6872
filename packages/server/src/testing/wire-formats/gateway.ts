import { argumentsOf, deltas, event, finishOf, usageOf, type WireFormat } from './wire-turn.ts'

/** The gateway's stream: one SDK language model part per event. */
export const gateway: WireFormat = {
  events(turn, model) {
    const events = [
      event({ type: 'stream-start', warnings: [] }),
      event({ type: 'response-metadata', id: 'gen_wire', modelId: model, timestamp: '2026-11-15T10:00:00.000Z' }),
    ]
    const block = (kind: 'reasoning' | 'text', text: string | undefined): void => {
      if (!text) return
      const id = `${kind}-0`
      events.push(event({ type: `${kind}-start`, id }))
      for (const delta of deltas(text)) events.push(event({ type: `${kind}-delta`, id, delta }))
      events.push(event({ type: `${kind}-end`, id }))
    }
    block('reasoning', turn.reasoning)
    if (turn.search) {
      const { query, pages } = turn.search
      const call = { toolCallId: 'srvtoolu_wire', toolName: 'web_search', providerExecuted: true }
      events.push(event({ type: 'tool-call', ...call, input: JSON.stringify({ query }) }))
      events.push(event({ type: 'tool-result', ...call, result: pages }))
      for (const { url, title } of pages) events.push(event({ type: 'source', sourceType: 'url', id: url, url, title }))
    }
    block('text', turn.text)
    for (const [index, call] of (turn.calls ?? []).entries()) {
      const input = argumentsOf(turn, index)
      events.push(event({ type: 'tool-input-start', id: call.id, toolName: call.name }))
      for (const delta of deltas(input)) events.push(event({ type: 'tool-input-delta', id: call.id, delta }))
      events.push(event({ type: 'tool-input-end', id: call.id }))
      events.push(event({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input }))
    }
    if (turn.error) return [...events, event({ type: 'error', error: turn.error })]
    const { input, cached, output, reasoning } = usageOf(turn)
    const finish = finishOf(turn)
    events.push(
      event({
        type: 'finish',
        finishReason: { unified: finish, raw: finish },
        usage: {
          inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
          outputTokens: { total: output, text: output - reasoning, reasoning },
        },
      }),
    )
    return [...events, 'data: [DONE]\n\n']
  },
  errorBody: (status, message) => ({ error: { message, type: errorTypes[status] ?? 'invalid_request_error' } }),
}

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  429: 'rate_limit_exceeded',
  500: 'internal_server_error',
}
