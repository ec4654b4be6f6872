import { expect, it } from 'vitest'
import { describeProviderError, readContextLimit } from './provider-error.ts'

const wordings: [message: string, limit: number | undefined, sent?: number][] = [
  ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9012 tokens. Please reduce the length of the messages.", 8192, 9012], // prettier-ignore
  ["This model's maximum context length is 4097 tokens, however you requested 5000 tokens (4000 in your prompt; 1000 for the completion).", 4097, 5000], // prettier-ignore
  ["This endpoint's maximum context length is 32768 tokens. However, you requested about 40123 tokens (39000 of text input, 1123 in the output).", 32_768, 40_123], // prettier-ignore
  ['Your input exceeds the context window of this model. Please adjust your input and try again.', undefined],
  ['prompt is too long: 210,123 tokens > 200,000 maximum', 200_000, 210_123],
  ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again', 200_000], // prettier-ignore
  ['The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).', 1_048_576, 1_200_345],
  ["This model's maximum prompt length is 131072 but the request contains 140321 tokens.", 131_072, 140_321],
  ['Invalid request: Your request exceeded model token limit: 8192', 8192],
  ['Range of input length should be [1, 129024]', 129_024],
  ['the request exceeds the available context size (4096 tokens), try increasing it', 4096],
  ['request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096, 9000],
  ['Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length', 32_768, 40_000], // prettier-ignore
  ['The model is loaded with context length of only 4096 tokens, which is not enough', 4096],
  ['prompt token count of 70500 exceeds the limit of 64000', 64_000, 70_500],
  ['Please reduce the length of the messages or completion. Current length is 9100 while limit is 8192', 8192, 9100],
  ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.', 4081, 5000],
  ['Input is too long for requested model.', undefined],
]

it.each(wordings)('a complaint is named and its numbers are read: %s', (message, limit, sent) => {
  expect(readContextLimit(message)).toEqual({
    limit,
    sent,
  })
  const error = Object.assign(new Error(message), { name: 'AI_APICallError', statusCode: 400, responseHeaders: {} })
  expect(describeProviderError(error, { provider: 'p', model: 'm' }).name).toBe('ContextTooLong')
})

it.each([
  'Invalid API key',
  'max_tokens must be at least 1',
  'The model gpt-9 does not exist',
  '429 Too Many Requests',
])('other errors contain no limit: %s', (message) => expect(readContextLimit(message)).toEqual({}))
