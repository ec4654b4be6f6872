import { isUnfinished } from './check-answer.ts'
import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  TypeValidationError,
} from '@ai-sdk/provider'
import { RetryError, StreamProviderError } from 'ai'
import { describe, expect, test } from 'vitest'
import { NamedError } from '../../../protocol/src/error.ts'
import { describeProviderError } from './provider-error.ts'

const place = { provider: 'acme.chat', model: 'large-1' }

function apiError(statusCode: number | undefined, body: unknown, headers: Record<string, string> = {}): APICallError {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body)
  return new APICallError({
    message: 'Bad Request',
    url: 'http://127.0.0.1/v1',
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
    responseBody,
  })
}

function socketError(code: string, message: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })
}

describe('by status', () => {
  test.each([
    [401, 'ProviderAuth', false],
    [403, 'ProviderAuth', false],
    [429, 'ProviderRateLimit', true],
    [500, 'ProviderOverloaded', true],
    [503, 'ProviderOverloaded', true],
    [529, 'ProviderOverloaded', true],
    [408, 'ProviderStall', true],
    [404, 'ProviderRefused', false],
    [422, 'ProviderRefused', false],
    [413, 'ContextTooLong', false],
  ])('%i is %s', (status, name, retryable) => {
    const described = describeProviderError(apiError(status, { error: { message: 'it says why' } }), place)
    expect(described).toMatchObject({
      name,
      data: { statusCode: status, retryable, provider: 'acme.chat', model: 'large-1' },
    })
    expect(described.message).toContain('it says why')
    expect(described.message).not.toContain('Bad Request')
  })

  test('an exhausted quota is not retried', () => {
    const error = apiError(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } })
    expect(describeProviderError(error, place)).toMatchObject({ name: 'ProviderRateLimit', data: { retryable: false } })
  })
})

describe('refusals', () => {
  const google = (reason: string, message: string) => ({
    error: { code: 400, message, status: 'INVALID_ARGUMENT', details: [{ reason, domain: 'googleapis.com' }] },
  })
  test.each([
    [400, google('API_KEY_INVALID', 'API key not valid. Please pass a valid API key.'), 'ProviderAuth'],
    [400, google('API_KEY_EXPIRED', 'API key expired. Please renew the API key.'), 'ProviderAuth'],
    [400, google('FIELD_INVALID', 'Invalid value at contents'), 'ProviderRefused'],
    [
      403,
      {
        error: { message: 'Country, region, or territory not supported', code: 'unsupported_country_region_territory' },
      },
      'ProviderRefused',
    ],
    [403, { error: { message: 'Your input was flagged by moderation' } }, 'ProviderRefused'],
    [403, { error: { message: 'Your API key does not have access to this resource.' } }, 'ProviderAuth'],
    [
      401,
      { error: { message: 'Incorrect API key provided: sk-x. You can find your key at example.org.' } },
      'ProviderAuth',
    ],
  ])('%i %j is %s', (status, body, name) => {
    const described = describeProviderError(apiError(status, body), place)
    expect(described.name).toBe(name)
    expect(described.message).not.toMatch(/\.\./)
    expect(described.message).toMatch(/\.$/)
    expect(/refused the API key|Set another key/.test(described.message)).toBe(name === 'ProviderAuth')
  })

  test.each([301, 302, 307, 308])('a redirect (%i) is not retried', (status) => {
    expect(describeProviderError(apiError(status, ''), place)).toMatchObject({
      name: 'ProviderBadAnswer',
      message: expect.stringMatching(/Check the base URL\.$/) as string,
      data: { retryable: false },
    })
  })
})

describe('how long to wait', () => {
  const now = Date.parse('2026-11-15T10:00:00Z')
  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Sun, 15 Nov 2026 10:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j', (headers, expected) => {
    const error = apiError(429, { error: { message: 'slow down' } }, headers)
    expect(describeProviderError(error, { ...place, now }).data['retryAfterMs']).toBe(expected)
  })

  test.each([
    ['30', /slow down\.$/],
    ['300', /slow down\. Try again in 5 minutes\.$/],
    ['20000', /Try again in 6 hours\.$/],
    ['400000', /Try again in 5 days\.$/],
  ])('the user is asked to wait when we do not: %s s', (seconds, says) => {
    const error = apiError(429, { error: { message: 'slow down' } }, { 'retry-after': seconds })
    expect(describeProviderError(error, place).message).toMatch(says)
  })

  test('a delay inside the payload counts', () => {
    const error = apiError(429, {
      error: { message: 'quota', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '34s' }] },
    })
    expect(describeProviderError(error, place).data['retryAfterMs']).toBe(34_000)
  })
})

describe('context length errors of each provider', () => {
  test.each([
    [
      400,
      { error: { message: "This model's maximum context length is 65536 tokens.", code: 'context_length_exceeded' } },
    ],
    [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      },
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
    ],
    [400, { error: { message: 'Your request exceeded model token limit: 8192' } }],
    [400, { error: { message: 'Range of input length should be [1, 98304]' } }],
    [
      400,
      {
        error: {
          type: 'exceed_context_size_error',
          message: 'the request exceeds the available context size, try increasing it',
        },
      },
    ],
  ])('%i %j', (status, body) => {
    expect(describeProviderError(apiError(status, body), place).name).toBe('ContextTooLong')
  })

  test.each([
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
    'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000',
    'Prompt exceeds max length',
    'User input tokens exceeds the limit of 127072 tokens',
    'Too many input tokens. Max input tokens: 8192, request input token count: 9000',
    'prompt too long; exceeded max context length by 123 tokens',
    'Prompt tokens too long',
    'Input length 140000 exceeds the maximum length 131072',
    'Total tokens of image and text exceed max message tokens',
    "The total number of tokens (140000) exceeds the model's limit (131072).",
    'Request too large: 250000 input tokens, but this model accepts at most 200000',
    'messages total length exceeds limit',
    "Invalid 'input': string too long. Expected a string with maximum length 10485760.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'prompt token count of 135355 exceeds the limit of 128000',
    'Prompt contains 85201 tokens, too large for model with 32768 maximum context length',
    'Please reduce the length of the messages or completion.',
    'Input is too long for requested model.',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
  ])('%s', (message) => {
    expect(describeProviderError(apiError(400, { error: { message } }), place).name).toBe('ContextTooLong')
  })

  test.each([
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
    'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens',
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
    'Tool name is too long. Expected a string with maximum length 64',
    'image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    'Input image exceeds the maximum allowed size',
    'tool_use ids must be less than 64 characters',
    'messages: at least one message is required',
  ])('not: %s', (message) => {
    expect(describeProviderError(apiError(400, { error: { message } }), place).name).toBe('ProviderRefused')
  })

  test('a rate limit that mentions tokens is a rate limit', () => {
    const error = apiError(429, { error: { message: 'too many tokens per minute for this context window' } })
    expect(describeProviderError(error, place).name).toBe('ProviderRateLimit')
  })
})

describe('connections', () => {
  test.each([
    [socketError('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), 'ProviderConnection', true],
    [socketError('ENOTFOUND', 'getaddrinfo ENOTFOUND api.acme.invalid'), 'ProviderConnection', false],
    [socketError('ECONNRESET', 'read ECONNRESET'), 'ProviderConnection', true],
    [
      socketError('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
      'ProviderConnection',
      false,
    ],
    [socketError('UND_ERR_HEADERS_TIMEOUT', 'Headers Timeout Error'), 'ProviderStall', true],
    [
      new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }),
      'ProviderConnection',
      true,
    ],
    [new TypeError('fetch failed'), 'ProviderConnection', true],
    [new DOMException('The operation timed out.', 'TimeoutError'), 'ProviderStall', true],
    [new DOMException('This operation was aborted', 'AbortError'), 'Aborted', false],
  ])('%s is %s', (error, name, retryable) => {
    expect(describeProviderError(error, place)).toMatchObject({ name, data: { retryable } })
  })

  test('the reason of a refused connection is reported, for both addresses of a host', () => {
    const refused = (address: string) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}:1`), { code: 'ECONNREFUSED' })
    const error = new TypeError('fetch failed', {
      cause: new AggregateError([refused('::1'), refused('127.0.0.1')], ''),
    })
    expect(describeProviderError(error, place)).toMatchObject({
      name: 'ProviderConnection',
      message: expect.stringContaining('127.0.0.1:1'),
    })
  })

  test('a status without a response is not believed', () => {
    const error = Object.assign(
      new Error('Gateway request failed', { cause: socketError('ECONNREFUSED', 'connect ECONNREFUSED') }),
      {
        statusCode: 500,
        isRetryable: true,
      },
    )
    expect(describeProviderError(error, place)).toMatchObject({ name: 'ProviderConnection' })
    expect(describeProviderError(error, place).data?.['statusCode']).toBeUndefined()
  })

  test('a reset in the middle of an answer is not a bad answer', () => {
    const error = new APICallError({
      message: 'Failed to process successful response',
      url: 'http://127.0.0.1/v1',
      requestBodyValues: {},
      statusCode: 200,
      cause: new TypeError('terminated', {
        cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
      }),
    })
    expect(describeProviderError(error, place)).toMatchObject({ name: 'ProviderConnection', data: { retryable: true } })
  })
})

describe('empty answers', () => {
  const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>…</body></html>'
  test('a web page with 200 names the page', () => {
    const described = describeProviderError(apiError(200, page), place)
    expect(described).toMatchObject({ name: 'ProviderBadAnswer', data: { retryable: false } })
    expect(described.message).toContain('"Sign in"')
  })
  test('a web page with 502 is an overloaded provider', () => {
    expect(describeProviderError(apiError(502, page), place)).toMatchObject({
      name: 'ProviderOverloaded',
      data: { retryable: true },
    })
  })
  test('a web page with 404 points at the base URL', () => {
    expect(describeProviderError(apiError(404, page), place)).toMatchObject({
      name: 'ProviderBadAnswer',
      message: expect.stringContaining('base URL'),
    })
  })
  test.each([
    new JSONParseError({ text: '{"choices":[{"del', cause: new SyntaxError('Unexpected end of JSON input') }),
    new InvalidResponseDataError({ data: undefined, message: 'Response stream ended without a finish reason.' }),
  ])('%s', (error) => {
    expect(describeProviderError(error, place)).toMatchObject({ name: 'ProviderBadAnswer', data: { retryable: true } })
  })
})

describe('stream parts', () => {
  test.each([
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'ProviderOverloaded'],
    [{ message: 'Rate limit reached', type: 'rate_limit_error', code: null }, 'ProviderRateLimit'],
    [{ message: 'Internal error', code: 500 }, 'ProviderOverloaded'],
    [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'try again' } } },
      'ProviderOverloaded',
    ],
    [new StreamProviderError({ message: 'busy', statusCode: 503 }), 'ProviderOverloaded'],
    [
      new TypeValidationError({
        value: { error: { type: 'rate_limit_error', message: 'slow down' } },
        cause: new Error('zod'),
      }),
      'ProviderRateLimit',
    ],
    ['plain words', 'ProviderError'],
    [new Error('a defect'), 'ProviderError'],
    [undefined, 'ProviderError'],
  ])('%j is %s', (error, name) => {
    expect(describeProviderError(error, place).name).toBe(name)
  })
})

test('the last of several attempts decides', () => {
  const error = new RetryError({
    message: 'Failed after 3 attempts',
    reason: 'maxRetriesExceeded',
    errors: [apiError(500, { error: { message: 'one' } }), apiError(401, { error: { message: 'two' } })],
  })
  expect(describeProviderError(error, place)).toMatchObject({
    name: 'ProviderAuth',
    message: expect.stringContaining('two'),
  })
})

test('errors before any request', () => {
  expect(describeProviderError(new LoadAPIKeyError({ message: 'no key' }), place).name).toBe('ProviderAuth')
  expect(describeProviderError(new NoSuchModelError({ modelId: 'x', modelType: 'languageModel' }), place).name).toBe(
    'ProviderRefused',
  )
})

test('a named error keeps its name, text and data', () => {
  const stall = new NamedError('ProviderStall', 'nothing for 60 s', { status: 504, data: { retryable: true } })
  expect(describeProviderError(stall, place)).toMatchObject({
    name: 'ProviderStall',
    message: 'nothing for 60 s',
    status: 504,
    data: { retryable: true, provider: 'acme.chat', model: 'large-1' },
  })
})

test('secrets are removed from the text, known ones and likely ones', () => {
  const error = apiError(401, {
    error: { message: 'Incorrect key: canary-0001-abcdef or sk-abcdefghijklmnopqrstuvwx' },
  })
  const redacted = describeProviderError(error, {
    ...place,
    redact: (text) => text.replaceAll('canary-0001-abcdef', '[redacted]'),
  })
  expect(redacted.message).toContain('Incorrect key: [redacted] or [redacted]')
})

test('a finish without a reason of the provider is unfinished', () => {
  expect(isUnfinished({ unified: 'interrupted', raw: undefined })).toBe(true)
  expect(isUnfinished({ unified: 'other', raw: undefined })).toBe(true)
  expect(isUnfinished({ unified: 'other', raw: 'pause_turn' })).toBe(false)
  expect(isUnfinished({ unified: 'stop', raw: 'stop' })).toBe(false)
})
