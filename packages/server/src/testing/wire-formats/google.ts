import { argumentsOf, deltas, event, finishOf, usageOf, type WireFormat, type WireSearch } from './wire-turn.ts'

/** Gemini's streamGenerateContent with `alt=sse`. Calls are sent whole, so a truncated one is never sent. */
export const google: WireFormat = {
  events(turn, model) {
    const base = { modelVersion: model, responseId: 'resp-wire' }
    const part = (content: object): string =>
      event({ ...base, candidates: [{ index: 0, content: { role: 'model', parts: [content] } }] })
    if (turn.blocked !== undefined)
      return [event({ ...base, promptFeedback: { blockReason: turn.blocked }, usageMetadata: { promptTokenCount: 9 } })]
    const events = [
      ...deltas(turn.reasoning ?? '').map((text) => part({ text, thought: true })),
      ...deltas(turn.text ?? '').map((text) => part({ text })),
    ]
    for (const [index, call] of (turn.calls ?? []).entries()) {
      if (turn.cutCall && index === (turn.calls?.length ?? 0) - 1) continue
      const args: unknown = JSON.parse(argumentsOf(turn, index))
      events.push(part({ functionCall: { id: call.id, name: call.name, args }, thoughtSignature: 'c2lnbmVk' }))
    }
    if (turn.error)
      return [...events, event({ error: { code: 503, message: turn.error.message, status: 'UNAVAILABLE' } })]
    const { input, cached, output, reasoning } = usageOf(turn)
    events.push(
      event({
        ...base,
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ text: '' }] },
            finishReason: turn.ends?.reason ?? (finishOf(turn) === 'length' ? 'MAX_TOKENS' : 'STOP'),
            ...(turn.ends?.message && { finishMessage: turn.ends.message }),
            ...(turn.search && { groundingMetadata: grounding(turn.search) }),
          },
        ],
        usageMetadata: {
          promptTokenCount: input,
          cachedContentTokenCount: cached,
          candidatesTokenCount: output - reasoning,
          thoughtsTokenCount: reasoning,
          totalTokenCount: input + output,
        },
      }),
    )
    return events
  },
  errorBody: (status, message) => ({
    error: { code: status, message, status: statuses[status] ?? 'INVALID_ARGUMENT' },
  }),
}

function grounding({ query, pages }: WireSearch): object {
  return {
    webSearchQueries: [query],
    groundingChunks: pages.map(({ url, title }) => ({ web: { uri: url, title } })),
    groundingSupports: pages.flatMap(({ quote }, index) =>
      quote === undefined ? [] : [{ segment: { startIndex: 0, text: quote }, groundingChunkIndices: [index] }],
    ),
  }
}

const statuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  529: 'UNAVAILABLE',
}
