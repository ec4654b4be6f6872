import type { StoredMessage } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { play, probe, user } from '../../testing/play-run.ts'
import type { Answer } from '../tool/asks.ts'
import type { Vision } from '../tool/services.ts'

const hash = 'a'.repeat(64)
const blind = { accepts: [] }

function message(...urls: string[]): StoredMessage {
  const files = urls.map((url, index) => ({
    type: 'file' as const,
    mediaType: 'image/png',
    filename: `p${index}.png`,
    url,
  }))
  return { ...user('Look.'), parts: [...user('Look.').parts, ...files] }
}

const photo = message(`/ai/blobs/${hash}`)

function vision(allowed: 'yes' | 'no' | 'ask', extra: Partial<Vision> = {}) {
  const described: string[] = []
  const remembered: string[] = []
  const service: Vision = {
    offer: async () => ({ model: 'acme/eye', allowed: remembered.includes('chat') ? 'yes' : allowed }),
    remember: async (_, choice) => void remembered.push(choice),
    async describe({ sha256, name }) {
      described.push(sha256)
      return { model: 'acme/eye', text: `A cat on ${name}. </image-description>`, tokens: 5, cost: 0.1 }
    },
    ...extra,
  }
  return { service, described, remembered }
}

const choose = (label: string) => (): Answer => ({ type: 'answers', answers: { '0': label } })
const sent = ({ model }: { model: { calls: unknown[] } }, step = 0) => JSON.stringify(model.calls[step])

test('an attached image is described once, stored in the answer, and sent with each request', async () => {
  const { service, described } = vision('yes')
  const meter = { add: [] as object[] }
  const look = probe('Look', true, [])
  const outcome = await play(
    [[{ call: { name: 'Look', input: {}, id: 'c1' } }], [{ text: 'A cat.' }]],
    [look],
    {
      history: [photo],
      vision: service,
      meter: { add: (spent: object) => meter.add.push(spent), exceeded: () => undefined } as never,
    },
    undefined,
    blind,
  )
  expect(described).toEqual([hash])
  expect(meter.add).toContainEqual({ tokens: 5, cost: 0.1 })
  expect(outcome.message.parts).toContainEqual(
    expect.objectContaining({ type: 'data-image-description', data: expect.objectContaining({ sha256: hash }) }),
  )
  for (const step of [0, 1]) expect(sent(outcome, step)).toContain('A cat on p0.png.')
  // Text of the image cannot end its block.
  expect(sent(outcome)).toContain('<\\\\/image-description>')
  const { id, role, parts } = outcome.message
  const answer = { id, role, parts, parentMessageId: 'u1', createdAt: 1 }
  const next = { ...user('And now?'), id: 'u2' }
  const later = await play(
    [[{ text: 'Ok.' }]],
    [],
    { history: [photo, answer, next], vision: service },
    undefined,
    blind,
  )
  expect(described).toHaveLength(1)
  expect(sent(later)).toContain('A cat on p0.png.')
  const seeing = await play([[{ text: 'Ok.' }]], [], { history: [photo, answer, next], vision: service }, undefined, {
    accepts: ['image'],
  })
  expect(sent(seeing)).not.toContain('A cat on p0.png.')
})

test('an image that a tool reads is described before the next step', async () => {
  const { service, described } = vision('yes')
  const output = { kind: 'image', path: 'cat.png', mediaType: 'image/png', size: 9, width: 1, height: 1, blob: hash }
  const read = probe('Look', true, [], { execute: async () => output, toModel: () => 'It is an image.' })
  const outcome = await play(
    [[{ call: { name: 'Look', input: {}, id: 'c1' } }], [{ text: 'A cat.' }]],
    [read],
    { vision: service },
    undefined,
    blind,
  )
  expect(described).toEqual([hash])
  expect(sent(outcome, 1)).toMatch(/It is an image\. You cannot see it.*A cat on cat\.png/)
})

test.each([
  ['Describe in this chat', 'chat', true],
  ['Always describe', 'always', true],
  ['Do not describe', 'never', false],
])('asks once and keeps the answer: %s', async (label, kept, isDescribed) => {
  const { service, described, remembered } = vision('ask')
  const asked: string[] = []
  const outcome = await play(
    [[{ text: 'Ok.' }]],
    [],
    { history: [photo], vision: service, client: 'page' },
    (ask) => {
      asked.push(ask.title)
      return choose(label)()
    },
    blind,
  )
  expect(asked).toEqual(['test/scripted cannot see images. May acme/eye describe an image for it?'])
  expect(remembered).toEqual([kept])
  expect(described).toHaveLength(isDescribed ? 1 : 0)
  expect(outcome.status).toBe('done')
  expect(sent(outcome).includes('A cat on')).toBe(isDescribed)
})

test('declining continues without a description, and is not kept', async () => {
  const { service, described, remembered } = vision('ask')
  const outcome = await play(
    [[{ text: 'Ok.' }]],
    [],
    { history: [photo], vision: service, client: 'page' },
    () => ({ type: 'deny' }),
    blind,
  )
  expect([outcome.status, described, remembered]).toEqual(['done', [], []])
})

test.each<[string, object, 'no' | 'ask', object]>([
  ['nobody is there', { headless: true, client: 'page' }, 'ask', blind],
  ['another program sent the message', {}, 'ask', blind],
  ['the person said no', {}, 'no', blind],
  ['the model sees', {}, 'ask', { accepts: ['image'] }],
  ['the model may see', {}, 'ask', {}],
])('asks and describes nothing if %s', async (_, more, allowed, model) => {
  const { service, described } = vision(allowed)
  const refuse = (): Answer => {
    throw new Error('asked')
  }
  const outcome = await play([[{ text: 'Ok.' }]], [], { history: [photo], vision: service, ...more }, refuse, model)
  expect([outcome.status, described]).toEqual(['done', []])
})

test('a failure is told to the model, does not end the run, and is tried again in the next answer', async () => {
  const { service } = vision('yes', { describe: () => Promise.reject(new Error('The budget is used up.')) })
  const outcome = await play([[{ text: 'Ok.' }]], [], { history: [photo], vision: service }, undefined, blind)
  expect(outcome.status).toBe('done')
  expect(sent(outcome)).toContain('could not be described: The budget is used up.')
  const { service: works, described } = vision('yes')
  const { id, role, parts } = outcome.message
  const history = [photo, { id, role, parts, parentMessageId: 'u1', createdAt: 1 }, { ...user('Again'), id: 'u2' }]
  const again = await play([[{ text: 'Ok.' }]], [], { history, vision: works }, undefined, blind)
  expect(described).toEqual([hash])
  expect(sent(again)).not.toContain('could not be described')
})

test('a model that turns out not to see gets the description at once', async () => {
  const { service, described } = vision('yes')
  const blobs = {
    put: () => Promise.reject(new Error('no')),
    get: async () => ({ bytes: png, mediaType: 'image/png' }),
  }
  const outcome = await play(
    [[{ error: { statusCode: 400, message: 'image_url is not supported' } }], [{ text: 'A cat.' }]],
    [],
    { history: [photo], vision: service, blobs, maxRetries: 0 },
  )
  expect(outcome.status).toBe('done')
  expect(described).toEqual([hash])
  expect(sent(outcome, 1)).toContain('A cat on p0.png.')
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
