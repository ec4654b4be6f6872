import { argumentsOf, deltas, event, finishOf, usageOf, type WireFormat, type WireSearch } from './wire-turn.ts'

export const anthropic: WireFormat = {
  events(turn, model) {
    const events: string[] = []
    const send = (type: string, data: object = {}): void => {
      events.push(event({ type, ...data }, type))
    }
    let index = -1
    const block = (start: object, parts: object[]): void => {
      index += 1
      send('content_block_start', { index, content_block: start })
      for (const delta of parts) send('content_block_delta', { index, delta })
      send('content_block_stop', { index })
    }
    const { input, cached, written = 0, output } = usageOf(turn)
    const started = {
      input_tokens: input - cached - written,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: cached,
      output_tokens: 1,
    }
    const message = { id: 'msg_wire', type: 'message', role: 'assistant', model, content: [] }
    send('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage: started } })
    send('ping')
    if (turn.reasoning) {
      const thoughts = deltas(turn.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }))
      block({ type: 'thinking', thinking: '', signature: '' }, [
        ...thoughts,
        { type: 'signature_delta', signature: 'c2lnbmVk' },
      ])
    }
    if (turn.search) {
      const { query } = turn.search
      const [call, found] = searchBlocks(turn.search)
      block(call, [{ type: 'input_json_delta', partial_json: JSON.stringify({ query }) }])
      block(found, [])
    }
    if (turn.text) {
      block({ type: 'text', text: '' }, [
        ...deltas(turn.text).map((text) => ({ type: 'text_delta', text })),
        ...citations(turn.search),
      ])
    }
    for (const [at, call] of (turn.calls ?? []).entries()) {
      const json = ['', ...deltas(argumentsOf(turn, at))]
      block(
        { type: 'tool_use', id: call.id, name: call.name, input: {} },
        json.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      )
    }
    if (turn.error) {
      send('error', { error: turn.error })
      return events
    }
    const reason =
      turn.ends?.reason ?? { stop: 'end_turn', length: 'max_tokens', 'tool-calls': 'tool_use' }[finishOf(turn)]
    const { message: explanation, category } = turn.ends ?? {}
    const details = turn.ends && { stop_details: { type: reason, category, explanation } }
    send('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null, ...details },
      usage: { output_tokens: output },
    })
    send('message_stop')
    return events
  },
  errorBody: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'invalid_request_error', message },
  }),
}

function searchBlocks({ pages, error }: WireSearch): [object, object] {
  const id = 'srvtoolu_wire'
  const found = pages.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: 'c2VhbGVk',
    page_age: null,
  }))
  const content = error === undefined ? found : { type: 'web_search_tool_result_error', error_code: error }
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: id, content },
  ]
}

function citations(search: WireSearch | undefined): object[] {
  const quoted = search?.pages.filter((page) => page.quote !== undefined) ?? []
  return quoted.map(({ url, title, quote }) => ({
    type: 'citations_delta',
    citation: { type: 'web_search_result_location', url, title, encrypted_index: 'c2VhbGVk', cited_text: quote },
  }))
}

const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}
