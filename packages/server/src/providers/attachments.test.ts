import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testServer, type TestServer } from '../testing/test-server.ts'
import { type WireProvider, wireServer, type WireServer } from '../testing/wire-server.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')

const files: [name: string, mediaType: string, content: string][] = [
  ['dot.png', 'image/png', png],
  ['called.jpg', 'image/jpeg', png],
  ['broken.png', 'image/png', base64('no picture')],
  ['photo.heic', 'image/heic', base64('\0\0\0\x18ftypheic')],
  ['logo.svg', 'image/svg+xml', base64('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['scan.tiff', 'image/tiff', base64('II*\0\0\0')],
  ['report.pdf', 'application/pdf', base64('%PDF-1.4\n1 0 obj<</Type/Pages/Count 12>>endobj\n%%EOF\0')],
  ['song.mp3', 'audio/mpeg', base64('ID3\0\0')],
  ['voice.ogg', 'audio/ogg', base64('OggS\0')],
  ['film.mp4', 'video/mp4', base64('\0\0\0\x18ftypmp42')],
  ['all.zip', 'application/zip', base64('PK\x03\x04\0')],
  ['letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', base64('PK\x03\x04\0')],
  ['notes.md', 'text/markdown', base64('# Notes')],
  ['table.csv', 'text/csv', base64('a,b')],
  ['data.json', 'application/json', base64('{}')],
  ['thing.bin', 'application/octet-stream', base64('\0\x01\x02')],
  ['odd', 'x-odd/thing', base64('\0\x01')],
]

const models: Partial<Record<WireProvider, string>> = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  openai: 'openai/gpt-6-sol',
  google: 'google/gemini-3.8-flash',
  xai: 'xai/grok-4.7',
  moonshot: 'moonshot/kimi-k3',
  deepseek: 'deepseek/deepseek-v4-flash-vision-exp',
  qwen: 'qwen/qwen3.7-max',
  vercel: 'vercel/anthropic/claude-sonnet-5.5',
  custom: 'custom/nobody-knows-it',
}
const refs = Object.values(models)

let wire: WireServer
let server: TestServer
beforeAll(async () => {
  wire = await wireServer()
  const entries = (Object.keys(models) as WireProvider[]).map((id) => [
    id,
    { baseURL: wire.baseURL(id), apiKey: 'canary-key-0123456789' },
  ])
  server = await testServer({ config: { providers: Object.fromEntries(entries) as object } })
})
beforeEach(() => wire.clear())
afterAll(async () => {
  await server.close()
  await wire.close()
})

let count = 0

function attach(chosen: readonly number[]) {
  const parts = chosen.map((index) => {
    const [filename, mediaType, content] = files[index] as (typeof files)[number]
    return { type: 'file', filename, mediaType, url: `data:${mediaType};base64,${content}` }
  })
  return { id: `m${++count}`, role: 'user', parts: [...parts, { type: 'text', text: 'What is this?' }] }
}

describe('attached files', () => {
  it.each(refs)('of any kind are answered by %s at the first attempt, and so are later messages', async (model) => {
    const session = `s${++count}`
    for (const message of [attach(files.map((_, index) => index)), 'never mind, hello']) {
      wire.clear()
      wire.play({ turn: { text: 'Answered.' } })
      const { message: answer, error } = await server.chat(session, message, { model })
      expect(error).toBeUndefined()
      expect(answer.metadata?.error).toBeUndefined()
      expect(answer.parts.at(-1)).toMatchObject({ text: 'Answered.' })
      expect(wire.requests).toHaveLength(1)
      const sent = JSON.stringify(wire.requests[0]?.body)
      for (const name of ['thing.bin'])
        expect(sent).toMatch(new RegExp(`${name}, 1 kB, saved at [^,]*${name}, not shown`))
      for (const name of ['all.zip', 'letter.docx'])
        expect(sent).toMatch(new RegExp(`${name} is an? [^,]*, saved at .*${name}. It could not be read`))
      expect(sent).toContain('# Notes')
      if (!/anthropic|openai|google|vercel|custom/.test(model))
        expect(sent).toMatch(/report\.pdf(, 12 pages, saved at .*, not shown| is a PDF document)/)
    }
  })

  it('never break a session, for any files and model changes', async () => {
    const turn = fc.record({ model: fc.constantFrom(...refs), chosen: fc.subarray(files.map((_, index) => index)) })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
        const session = `s${++count}`
        for (const { model, chosen } of turns) {
          wire.clear()
          wire.play({ turn: { text: 'Answered.' } })
          const { message } = await server.chat(session, attach(chosen), { model })
          expect(message.parts.at(-1)).toMatchObject({ text: 'Answered.' })
        }
      }),
      { numRuns: 15 },
    )
  })

  it('that a provider rejects are described at the second attempt, and the model is remembered', async () => {
    const model = 'custom/takes-no-pictures'
    wire.play({ fault: 'refused' }, { turn: { text: 'Answered.' } }, { turn: { text: 'Again.' } })
    const { message } = await server.chat('refused', attach([0]), { model })
    expect(message.parts.at(-1)).toMatchObject({ text: 'Answered.' })
    expect(wire.requests.map(({ body }) => JSON.stringify(body).includes(png))).toEqual([true, false])
    await server.chat('refused', 'and now?', { model })
    expect(wire.requests).toHaveLength(3)
    expect(JSON.stringify(wire.requests[2]?.body)).toContain(', not shown: this model does not accept images')
  })
})
