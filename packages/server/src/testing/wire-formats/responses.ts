import { argumentsOf, deltas, event, finishOf, usageOf, type WireFormat, type WireTurn } from './wire-turn.ts'

/** OpenAI's Responses API, also used by xAI. */
export function responses(errorBody: WireFormat['errorBody']): WireFormat {
  return {
    errorBody,
    events(turn, model) {
      const events: string[] = []
      let number = 0
      const send = (type: string, data: object): void => {
        events.push(event({ type, sequence_number: number++, ...data }, type))
      }
      const response = (extra: object = {}): object => ({
        id: 'resp_wire',
        object: 'response',
        created_at: 1_760_000_000,
        model,
        output: [],
        status: 'in_progress',
        usage: null,
        ...extra,
      })
      send('response.created', { response: response() })
      send('response.in_progress', { response: response() })
      const items = [reasoningItem, searchItem, containerItems, textItem, callItems].flatMap((part) => [
        ...part(turn, send),
      ])
      for (const [index, item] of items.entries()) item(index)
      if (turn.error) {
        send('response.failed', {
          response: response({ status: 'failed', error: { code: turn.error.type, message: turn.error.message } }),
        })
        return events
      }
      const why = turn.ends?.reason ?? (finishOf(turn) === 'length' ? 'max_output_tokens' : undefined)
      const { input, cached, output, reasoning } = usageOf(turn)
      const usage = {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
        total_tokens: input + output,
      }
      const details = { incomplete_details: why === undefined ? null : { reason: why } }
      const status = why === undefined ? 'completed' : 'incomplete'
      send(`response.${status}`, { response: response({ status, usage, ...details }) })
      return events
    },
  }
}

type Send = (type: string, data: object) => void
type Item = (outputIndex: number) => void

function* reasoningItem(turn: WireTurn, send: Send): Iterable<Item> {
  const { reasoning } = turn
  if (!reasoning) return
  yield (output_index) => {
    const at = { item_id: 'rs_wire', output_index, summary_index: 0 }
    const part = { type: 'summary_text', text: '' }
    send('response.output_item.added', {
      output_index,
      item: { id: 'rs_wire', type: 'reasoning', summary: [], status: 'in_progress' },
    })
    send('response.reasoning_summary_part.added', { ...at, part })
    for (const delta of deltas(reasoning)) send('response.reasoning_summary_text.delta', { ...at, delta })
    send('response.reasoning_summary_text.done', { ...at, text: reasoning })
    send('response.reasoning_summary_part.done', { ...at, part: { ...part, text: reasoning } })
    const summary = [{ type: 'summary_text', text: reasoning }]
    send('response.output_item.done', {
      output_index,
      item: { id: 'rs_wire', type: 'reasoning', summary, encrypted_content: turn.sealed, status: 'completed' },
    })
  }
}

function* searchItem({ search }: WireTurn, send: Send): Iterable<Item> {
  if (!search) return
  const { query, pages, error } = search
  yield (output_index) => {
    const item = { id: 'ws_wire', type: 'web_search_call', status: 'in_progress' }
    const sources = pages.map(({ url }) => ({ type: 'url', url }))
    send('response.output_item.added', { output_index, item })
    for (const state of ['in_progress', 'searching', 'completed'])
      send(`response.web_search_call.${state}`, { item_id: item.id, output_index })
    const status = error === undefined ? 'completed' : 'failed'
    send('response.output_item.done', {
      output_index,
      item: { ...item, status, action: { type: 'search', query, sources } },
    })
  }
}

function* containerItems({ container }: WireTurn, send: Send): Iterable<Item> {
  if (!container) return
  const { command, output } = container
  yield (output_index) => {
    const action = { type: 'exec', commands: [command], max_output_length: null, timeout_ms: null }
    const item = { id: 'sh_wire', type: 'shell_call', call_id: 'call_sh', action, status: 'in_progress' }
    send('response.output_item.added', { output_index, item })
    send('response.output_item.done', { output_index, item: { ...item, status: 'completed' } })
  }
  yield (output_index) => {
    const outcome = { type: 'exit', exit_code: 0 }
    const item = {
      id: 'sho_wire',
      type: 'shell_call_output',
      call_id: 'call_sh',
      status: 'completed',
      output: [{ stdout: output, stderr: '', outcome }],
    }
    send('response.output_item.added', { output_index, item })
    send('response.output_item.done', { output_index, item })
  }
}

function* textItem(turn: WireTurn, send: Send): Iterable<Item> {
  const { refusal } = turn
  if (refusal) {
    yield (output_index) => {
      const at = { item_id: 'msg_wire', output_index, content_index: 0 }
      const item = { id: 'msg_wire', type: 'message', role: 'assistant', content: [], status: 'in_progress' }
      send('response.output_item.added', { output_index, item })
      send('response.content_part.added', { ...at, part: { type: 'refusal', refusal: '' } })
      for (const delta of deltas(refusal)) send('response.refusal.delta', { ...at, delta })
      send('response.refusal.done', { ...at, refusal })
      send('response.output_item.done', {
        output_index,
        item: { ...item, status: 'completed', content: [{ type: 'refusal', refusal }] },
      })
    }
    return
  }
  const { text } = turn
  if (!text) return
  const annotations = (turn.search?.pages ?? []).map(({ url, title }) => ({
    type: 'url_citation',
    start_index: 0,
    end_index: text.length,
    url: `${url}?utm_source=openai`,
    title,
  }))
  yield (output_index) => {
    const at = { item_id: 'msg_wire', output_index, content_index: 0 }
    const item = { id: 'msg_wire', type: 'message', role: 'assistant', content: [], status: 'in_progress' }
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    send('response.output_item.added', { output_index, item })
    send('response.content_part.added', { ...at, part })
    for (const delta of deltas(text)) send('response.output_text.delta', { ...at, delta, logprobs: [] })
    for (const [annotation_index, annotation] of annotations.entries())
      send('response.output_text.annotation.added', { ...at, annotation_index, annotation })
    send('response.output_text.done', { ...at, text, logprobs: [] })
    send('response.content_part.done', { ...at, part: { ...part, text, annotations } })
    send('response.output_item.done', {
      output_index,
      item: { ...item, status: 'completed', content: [{ ...part, text, annotations }] },
    })
  }
}

function* callItems(turn: WireTurn, send: Send): Iterable<Item> {
  for (const [index, call] of (turn.calls ?? []).entries()) {
    yield (output_index) => {
      const id = `fc_wire_${index}`
      const item = {
        id,
        type: 'function_call',
        call_id: call.id,
        name: call.name,
        arguments: '',
        status: 'in_progress',
      }
      const json = argumentsOf(turn, index)
      send('response.output_item.added', { output_index, item })
      for (const delta of deltas(json))
        send('response.function_call_arguments.delta', { item_id: id, output_index, delta })
      send('response.function_call_arguments.done', { item_id: id, output_index, arguments: json })
      const status = turn.cutCall ? 'incomplete' : 'completed'
      send('response.output_item.done', { output_index, item: { ...item, arguments: json, status } })
    }
  }
}
