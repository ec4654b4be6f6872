import { describe, expect, it } from 'vitest'
import type { Part } from '../../../protocol/src/message.ts'
import { project } from './project.ts'
import { loadFiles } from './prompt-files.ts'
import type { FileSupport } from './inline-file.ts'

const hash = '0'.repeat(64)
const bytes = Uint8Array.from(Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'))
const taker: FileSupport = { provider: 'openai.responses', accepts: ['image', 'pdf'] }
const gone = { type: 'text', text: '[There was an attachment here, but its file no longer exists.]' }

describe('a file in a message', () => {
  it.each<[string, Partial<Extract<Part, { type: 'file' }>>, object]>([
    ['a blob', { url: `/ai/blobs/${hash}` }, { mediaType: 'image/webp', data: { type: 'data', data: bytes } }],
    [
      'a blob whose kind the message does not say',
      { url: `/ai/blobs/${hash}`, mediaType: '' },
      { mediaType: 'image/webp', data: { type: 'data', data: bytes } },
    ],
    ['a blob that is gone', { url: `/ai/blobs/${'1'.repeat(64)}` }, gone],
    ['a blob with a forged address', { url: `/ai/blobs/../../${hash}` }, gone],
    [
      'a data URL',
      { url: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', mediaType: 'image/png' },
      { mediaType: 'image/gif', data: { type: 'data', data: Buffer.from('R0lGODlhAQABAAAAACw=', 'base64') } },
    ],
    [
      'a data URL of plain text',
      { url: 'data:,Gr%C3%BC%C3%9Fe', mediaType: 'text/plain' },
      { type: 'text', text: '[The file a.png:]\nGrüße' },
    ],
    ['a data URL without data', { url: 'data:image/png;base64,' }, gone],
    ['a data URL that is none', { url: 'data:%' }, gone],
    [
      'an address on the web',
      { url: 'https://example.com/a.png' },
      { mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
    ],
    [
      'a file that lies with the provider',
      { url: '', providerReference: { openai: 'file-1' } },
      { data: { type: 'reference', reference: { openai: 'file-1' } } },
    ],
    ['a file of this machine', { url: 'file:///etc/passwd' }, gone],
    ['an address that is none', { url: 'https://' }, gone],
    ['nothing', { url: '' }, gone],
  ])('%s', async (_, file, wanted) => {
    const part: Part = { type: 'file', mediaType: 'image/png', url: '', filename: 'a.png', ...file }
    const [message] = await loadFiles(project([{ role: 'user', parts: [part] }]), blobs(), taker)
    expect(message?.content).toEqual([expect.objectContaining(wanted)])
  })

  it('keeps its name, unless it is blank', async () => {
    const named = (filename: string): Part => ({
      type: 'file',
      mediaType: 'image/png',
      url: `/ai/blobs/${hash}`,
      filename,
    })
    const [message] = await loadFiles(project([{ role: 'user', parts: [named('a.png'), named(' ')] }]), blobs(), taker)
    expect(message?.content[0]).toHaveProperty('filename', 'a.png')
    expect(message?.content[1]).not.toHaveProperty('filename')
  })

  it('is read only when the prompt is sent, and once for each place', async () => {
    const read: string[] = []
    const part: Part = { type: 'file', mediaType: 'image/png', url: `/ai/blobs/${hash}` }
    const prompt = project([{ role: 'user', parts: [part, { type: 'text', text: 'look' }, part] }])
    expect(read).toEqual([])
    await loadFiles(prompt, blobs(read), taker)
    expect(read).toEqual([hash, hash])
  })

  it('of the answer is loaded as well, be it reasoning or not', async () => {
    const parts: Part[] = [
      { type: 'reasoning-file', mediaType: 'image/png', url: `/ai/blobs/${hash}` },
      { type: 'file', mediaType: 'image/png', url: `/ai/blobs/${hash}` },
    ]
    const [, answer] = await loadFiles(
      project([
        { role: 'user', parts: [{ type: 'text', text: 'draw' }] },
        { role: 'assistant', parts },
      ]),
      blobs(),
      taker,
    )
    expect(answer?.content).toEqual([
      { type: 'reasoning-file', mediaType: 'image/webp', data: { type: 'data', data: bytes } },
      { type: 'file', mediaType: 'image/webp', data: { type: 'data', data: bytes } },
    ])
  })

  it('is reported as missing if there is no blob store', async () => {
    const part: Part = { type: 'file', mediaType: 'image/png', url: `/ai/blobs/${hash}` }
    const [message] = await loadFiles(project([{ role: 'user', parts: [part] }]), undefined, taker)
    expect(message?.content).toEqual([gone])
  })

  it.each<[string, string, Buffer, string]>([
    ['report.pdf', 'application/pdf', Buffer.from('%PDF-1.4\n2 0 obj<</Type/Pages/Count 12/Kids[]>>endobj\0'), 'report.pdf, 12 pages, not shown: this model does not accept PDFs'], // prettier-ignore
    ['dot.webp', 'image/webp', Buffer.from(bytes), 'dot.webp, 1 kB, not shown: this model does not accept images'],
    ['a.zip', 'application/zip', Buffer.from('PK\u0003\u0004\0\0'), 'a.zip, 1 kB, not shown: models do not accept files of this type'], // prettier-ignore
    ['song.mp3', 'audio/mpeg', Buffer.from('ID3\0\0'), 'song.mp3, 1 kB, not shown: this model does not accept audio'],
    ['film.mp4', 'video/mp4', Buffer.from('\0\0\0\u0018ftypmp42'), 'film.mp4, 1 kB, not shown: this model does not accept videos'], // prettier-ignore
    [
      'fake.png',
      'image/png',
      Buffer.from([1, 2, 3, 0]),
      'fake.png, 1 kB, not shown: this model does not accept images',
    ],
  ])('that the model cannot take is named in words: %s', async (filename, mediaType, content, words) => {
    const url = `data:${mediaType};base64,${content.toString('base64')}`
    const prompt = project([{ role: 'user', parts: [{ type: 'file', mediaType, filename, url }] }])
    const [message] = await loadFiles(prompt, blobs(), { provider: 'x', accepts: [] })
    expect(message?.content).toEqual([{ type: 'text', text: `[${words}]` }])
  })

  it('is unchanged if there is nothing to load', async () => {
    const prompt = project([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }])
    expect(await loadFiles(prompt, blobs(), taker)).toBe(prompt)
  })

  it('that cannot be read is an error and not a missing one', async () => {
    const part: Part = { type: 'file', mediaType: 'image/png', url: `/ai/blobs/${hash}` }
    const broken = { get: () => Promise.reject(new Error('EIO')) }
    await expect(loadFiles(project([{ role: 'user', parts: [part] }]), broken, taker)).rejects.toThrow('EIO')
  })
})

function blobs(read: string[] = []) {
  return {
    get(sha256: string) {
      read.push(sha256)
      return Promise.resolve(sha256 === hash ? { bytes, mediaType: 'image/webp' } : undefined)
    },
  }
}
