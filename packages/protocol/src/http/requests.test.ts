import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyJson } from '../../testing/arbitrary-json.ts'
import { runs } from '../../testing/test-effort.ts'
import { idPattern, idSchema, isId, newId } from '../ids.ts'
import { answerRequestSchema, answerSchema } from './asks.ts'
import { chatRequestSchema, steerRequestSchema, wireMessageSchema } from './chat.ts'
import { providerPatchSchema } from './providers.ts'
import { authRequestSchema } from './server.ts'
import { newSessionSchema, sessionPatchSchema } from './sessions.ts'

const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'hi' }] }

const badIds: [string, unknown][] = [
  ['empty', ''],
  ['with a slash', 'a/b'],
  ['that climbs', '..'],
  ['of one dot', '.'],
  ['with a backslash', 'a\\b'],
  ['with NUL', 'a\0b'],
  ['with a line end behind it', 'abc\n'],
  ['with a space', 'a b'],
  ['of 65 characters', 'a'.repeat(65)],
  ['of 10 kB', 'a'.repeat(10_000)],
  ['with an umlaut', 'käse'],
  ['of an emoji', '😀'],
  ['in another script', 'идентификатор'],
  ['of full-width letters', 'ａｂｃ'],
  ['that looks like an address', 'file:a'],
  ['that is percent-encoded', '%2e%2e'],
  ['that is the prototype', '__proto__'],
  ['that is a number', 7],
  ['that is null', null],
  ['that is a list', ['a']],
  ['that is an object', { toString: 'a' }],
]

describe('an id', () => {
  it.each(badIds)('%s is rejected everywhere', (_, id) => {
    expect(isId(id)).toBe(false)
    expect(idSchema.safeParse(id).success).toBe(false)
    expect(chatRequestSchema.safeParse({ id, message }).success).toBe(false)
    expect(chatRequestSchema.safeParse({ sessionId: id, message }).success).toBe(false)
    expect(chatRequestSchema.safeParse({ id: 's', messageId: id }).success).toBe(false)
    expect(chatRequestSchema.safeParse({ id: 's', message: { ...message, id } }).success).toBe(false)
    expect(wireMessageSchema.safeParse({ ...message, id }).success).toBe(false)
    expect(newSessionSchema.safeParse({ id }).success).toBe(false)
    expect(steerRequestSchema.safeParse({ id, text: 'x' }).success).toBe(false)
  })

  it('is required of a message', () => {
    const { id: _, ...nameless } = message
    expect(chatRequestSchema.safeParse({ id: 's', message: nameless }).success).toBe(false)
  })

  it.each(['a', 'A-b_9', '0', '-', 'a'.repeat(64), 'constructor', newId(), newId('call_')])('%s is taken', (id) => {
    expect(isId(id)).toBe(true)
    expect(idSchema.parse(id)).toBe(id)
    expect(chatRequestSchema.parse({ id, message: { ...message, id } }).id).toBe(id)
  })

  it('explains its format in the error', () => {
    expect(idSchema.safeParse('a/b').error?.issues[0]?.message).toBe('an id is 1 to 64 letters, digits, "_" or "-"')
  })

  it('that is new is legal, unlike all others, and sorts by the time of its making', async () => {
    const ids = Array.from({ length: 10_000 }, () => newId())
    expect(new Set(ids).size).toBe(10_000)
    expect(ids.every((id) => idPattern.test(id))).toBe(true)
    const before = newId()
    const start = Date.now()
    while (Date.now() === start) await new Promise((resolve) => setImmediate(resolve))
    expect(before < newId()).toBe(true)
  })
})

describe('a chat request', () => {
  it('can have a parent or null', () => {
    expect(chatRequestSchema.parse({ id: 's', message, parentMessageId: null }).parentMessageId).toBeNull()
    expect(chatRequestSchema.parse({ id: 's', message, parentMessageId: 'm' }).parentMessageId).toBe('m')
    expect(chatRequestSchema.safeParse({ id: 's', message, parentMessageId: '..' }).success).toBe(false)
  })

  it('is the request of the AI SDK’s transport, with any additional fields', () => {
    const sent = { id: 's', messages: [message], trigger: 'submit-message', messageId: undefined, extra: { a: 1 } }
    expect(chatRequestSchema.parse(sent)).toMatchObject({ id: 's', messages: [message], extra: { a: 1 } })
  })

  it.each<[string, unknown]>([
    ['no object', 'x'],
    ['a list', []],
    ['a message without parts', { message: { id: 'u', role: 'user' } }],
    ['a part without a type', { message: { ...message, parts: [{ text: 'x' }] } }],
    ['a part that is none', { message: { ...message, parts: ['x'] } }],
    ['an unknown role', { message: { ...message, role: 'tool' } }],
    ['too many parts', { message: { ...message, parts: Array.from({ length: 10_001 }, () => ({ type: 'text' })) } }],
    ['an unknown trigger', { message, trigger: 'resume' }],
    ['an unknown mode of response', { message, responseMode: 'xml' }],
    ['steps without end', { message, maxSteps: 1e9 }],
    ['half a step', { message, maxSteps: 0.5 }],
    ['a model that is no text', { message, model: { id: 'x' } }],
    ['a model of 10 kB', { message, model: 'x'.repeat(10_000) }],
  ])('is refused for %s', (_, body) => {
    expect(chatRequestSchema.safeParse(body).success).toBe(false)
  })
})

describe('an answer to an ask', () => {
  it.each([
    { type: 'approve' },
    { type: 'approve', remember: 'session', input: { a: 1 }, data: [1] },
    { type: 'deny' },
    { type: 'deny', remark: 'not now' },
    { type: 'answers', answers: { colour: 'red', sizes: [1, 2] } },
    { type: 'plan', choice: 'clean', remark: 'go' },
  ])('%j is taken', (answer) => {
    expect(answerRequestSchema.parse({ answer })).toEqual({ answer })
  })

  it.each([
    {},
    { type: 'yes' },
    { type: 'approve', remember: 'forever' },
    { type: 'approve', approved: true },
    { type: 'deny', remark: 7 },
    { type: 'deny', remark: 'x'.repeat(20_001) },
    { type: 'answers' },
    { type: 'answers', answers: [1] },
    { type: 'plan', choice: 'burn' },
  ])('%j is refused', (answer) => {
    expect(answerSchema.safeParse(answer).success).toBe(false)
  })

  it('is rejected with any additional field', () => {
    expect(answerRequestSchema.safeParse({ answer: { type: 'deny' }, approved: true }).success).toBe(false)
  })
})

describe('the other requests', () => {
  it('accept valid values', () => {
    expect(steerRequestSchema.parse({ id: 'm', text: 'stop that' })).toEqual({ id: 'm', text: 'stop that' })
    expect(authRequestSchema.parse({ key: 'k' })).toEqual({ key: 'k' })
    expect(newSessionSchema.parse({})).toEqual({})
    expect(sessionPatchSchema.parse({ title: 'a', pinned: true, model: null })).toEqual({
      title: 'a',
      pinned: true,
      model: null,
    })
    expect(providerPatchSchema.parse({ baseURL: 'http://127.0.0.1:9000/v1', apiKey: 'k' })).toMatchObject({
      apiKey: 'k',
    })
  })

  it.each<[string, { safeParse(value: unknown): { success: boolean } }, unknown]>([
    ['steering without text', steerRequestSchema, { id: 'm', text: '' }],
    ['steering with more', steerRequestSchema, { id: 'm', text: 'x', role: 'system' }],
    ['a key that is none', authRequestSchema, { key: ['k'] }],
    ['a session that sets its own times', newSessionSchema, { createdAt: 1 }],
    ['an empty title', sessionPatchSchema, { title: '' }],
    ['a title of 10 kB', sessionPatchSchema, { title: 'x'.repeat(10_000) }],
    ['an address of this machine', providerPatchSchema, { baseURL: 'file:///etc/passwd' }],
    ['an address that runs', providerPatchSchema, { baseURL: 'javascript:alert(1)' }],
    ['no address', providerPatchSchema, { baseURL: 'x' }],
  ])('are refused for %s', (_, schema, body) => {
    expect(schema.safeParse(body).success).toBe(false)
  })
})

describe('keys of the prototype', () => {
  const hostile = (text: string): unknown =>
    JSON.parse(text.replaceAll('§', '"__proto__": {"sessionId": "evil", "polluted": true}'))

  it('in a body have no effect', () => {
    const body = hostile(
      '{§, "constructor": {"prototype": {"polluted": true}}, "message": {§, "id": "u", "role": "user", "parts": [{§, "type": "text"}]}}',
    )
    const parsed = chatRequestSchema.parse(body)
    expect(parsed.sessionId).toBeUndefined()
    for (const object of [parsed, parsed.message, parsed.message?.parts[0], {}]) {
      expect((object as Record<string, unknown>)['polluted']).toBeUndefined()
      expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
    }
  })

  it('in answers are left out', () => {
    const parsed = answerSchema.parse(hostile('{"type": "answers", "answers": {§, "colour": "red"}}'))
    expect(parsed).toEqual({ type: 'answers', answers: { colour: 'red' } })
  })

  it('make a strict request fail', () => {
    expect(steerRequestSchema.safeParse(hostile('{§, "id": "m", "text": "x"}')).success).toBe(false)
    expect(newSessionSchema.safeParse({ constructor: 1 }).success).toBe(false)
  })
})

describe('any JSON', () => {
  it('is parsed or rejected, and never throws', () => {
    const schemas = [
      chatRequestSchema,
      answerRequestSchema,
      steerRequestSchema,
      newSessionSchema,
      sessionPatchSchema,
      providerPatchSchema,
    ]
    fc.assert(
      fc.property(anyJson, fc.constantFrom(...schemas), (body, schema) => {
        expect(typeof schema.safeParse(body).success).toBe('boolean')
      }),
      runs(300),
    )
  })
})
