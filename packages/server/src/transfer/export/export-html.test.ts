import { randomBytes } from 'node:crypto'
import type { Blobs } from '@troupe/core'
import type { Part } from '@troupe/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from '../../testing/test-server.ts'
import { embedPictures } from './export-html.ts'
import { exportTexts } from './export-session.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let server: TestServer
let sha256: string
beforeAll(async () => {
  server = await testServer()
  const stored = await server.json<{ blob: { sha256: string } }>('/ai/blobs', {
    method: 'POST',
    body: pixel,
    headers: { 'content-type': 'image/png' },
  })
  sha256 = (stored.body.blob ?? stored.body).sha256
  const display = (content: object): object => ({ toolMetadata: { troupe: { display: { title: 'Made', content } } } })
  const call = (name: string, input: unknown, output: unknown, more: object = {}): Part =>
    ({ type: `tool-${name}`, toolCallId: `c-${name}`, state: 'output-available', input, output, ...more }) as Part
  const parts: Part[] = [
    call(
      'ImageGenerate',
      { prompt: 'a <b>cat</b>' },
      {},
      display({
        kind: 'media',
        prompt: 'a <b>cat</b>',
        files: [
          { sha256, mediaType: 'image/png', size: 70 },
          { sha256: 'f'.repeat(64), mediaType: 'image/png', size: 1 },
        ],
      }),
    ),
    call(
      'VideoGenerate',
      {},
      {},
      display({ kind: 'media', prompt: 'a film', files: [{ sha256, mediaType: 'video/mp4', size: 1 }] }),
    ),
    call('Read', {}, {}, display({ kind: 'image', path: 'pics/dot.png', mediaType: 'image/png', size: 70, sha256 })),
    call(
      'ChartRender',
      {
        title: 'Rain',
        option: { xAxis: { name: 'Day', data: ['Mon', 'Tue'] }, series: [{ name: 'mm', data: [3, '<i>4</i>'] }] },
      },
      { ok: true },
    ),
    call(
      'JsxCreate',
      '<Card title="Week 12"><Stat label="Visits" value="1,204" change="+8%" /><Text>So <b>far</b>, good.</Text><Callout>Half on <b>Tuesday</b>, they say.</Callout><List><Item>first</Item><Item>second</Item></List><table><tr><th>Who</th></tr><tr><td>Ann | Bo</td></tr></table></Card>',
      { ok: true },
    ),
    call(
      'JsonRender',
      {
        title: 'Trip',
        tree: {
          root: 'f',
          elements: {
            f: { type: 'Form', children: ['n', 'go', 'w'] },
            n: { type: 'TextField', props: { name: 'where', label: 'Where' } },
            w: { type: 'Checkbox', props: { name: 'soon', label: 'Soon' } },
            go: { type: 'Button', props: { label: 'Send', action: 'submit' } },
          },
        },
      },
      { action: 'submit', values: { where: 'the sea', soon: true } },
    ),
    call('Broken', {}, {}, display({ kind: 'media', files: [{ sha256: '../../x' }, 7] })),
  ]
  const { store, workspace } = server
  await store.sessions.create({ id: 'made', workspaceId: workspace.id, title: 'Made' })
  const at = { sessionId: 'made' }
  await store.messages.add(at, {
    id: 'u',
    parentMessageId: null,
    role: 'user',
    parts: [{ type: 'text', text: 'make' }],
    createdAt: 1,
  })
  await store.messages.add(at, { id: 'a', parentMessageId: 'u', role: 'assistant', parts, createdAt: 2 })
})
afterAll(() => server.close())

const exported = async (query: string): Promise<string> =>
  (await server.request(`/ai/sessions/made/export?${query}`)).text()

test('images of results are part of the file, and others are named', async () => {
  const html = await exported('format=html')
  const picture = `src="data:image/png;base64,${pixel.toString('base64')}"`
  expect(html.split(picture)).toHaveLength(3)
  expect(html).toContain(`<img alt="a &lt;b&gt;cat&lt;/b&gt;" ${picture}>`)
  expect(html).toContain('<figcaption>pics/dot.png</figcaption>')
  expect(html).toContain('a &lt;b&gt;cat&lt;/b&gt; isn’t included because it no longer exists.')
  expect(html).toContain('a film (video/mp4) isn’t included.')
  expect(html).not.toMatch(/<b>cat|\/ai\/blobs|https?:\/\/(?!www\.w3)/)
})

test('charts become their numbers, pages and forms become text, and nothing in them is markup', async () => {
  const html = await exported('format=html')
  expect(html).toContain('Chart: Rain. Data:')
  expect(html).toContain('<thead><tr><th>Day</th><th>mm</th></tr></thead><tbody><tr><td>Mon</td><td>3</td></tr>')
  expect(html).toContain('<td>&lt;i&gt;4&lt;/i&gt;</td>')
  expect(html).toContain('<p><strong>Week 12</strong></p>')
  expect(html).toContain('<p>Visits: 1,204 +8%</p>')
  expect(html).toContain('<p>So far, good.</p>\n<p>Half on Tuesday, they say.</p>')
  expect(html).toContain('<ul><li>first</li><li>second</li></ul>')
  expect(html).toContain('<thead><tr><th>Who</th></tr></thead><tbody><tr><td>Ann | Bo</td></tr></tbody>')
  expect(html).toContain('<p>Where: the sea</p>')
  expect(html).toContain('<p>Soon: yes</p>')
  const markdown = await exported('format=md')
  expect(markdown).toContain('| Day | mm |\n| --- | --- |\n| Mon | 3 |\n| Tue | &lt;i>4&lt;/i> |')
  expect(markdown).toContain('\n\n- first\n- second\n')
  expect(markdown).toContain('| Ann \\| Bo |')
})

test('the file is in the requested language, or English if it is unknown', async () => {
  const html = await exported('format=html&lang=zh-CN')
  expect(html).toContain('<html lang="zh">')
  expect(html).toContain('由 Troupe 导出')
  expect(html).toContain('data-play="播放" data-pause="暂停"')
  expect(html).toContain('图表：Rain。数据：')
  expect(html).toContain('<h2>你 · ')
  expect(await exported('format=md&lang=zh')).toMatch(/## 你 · [\s\S]*## 回答 · /)
  expect(await exported('format=html&lang=fr')).toContain('<html lang="en">')
  expect((await server.request('/ai/sessions/made/export?lang="><script>')).status).toBe(400)
})

test('an image that is too large, or one too many, is replaced by its name and size', async () => {
  const bytes = new Map([3, 6, 2].map((size) => [String(size), randomBytes(size)]))
  const blobs = {
    get: (name: string) => Promise.resolve({ bytes: bytes.get(name)!, mediaType: 'image/png' }),
  } as unknown as Blobs
  const embed = embedPictures(blobs, exportTexts(), { one: 5, all: 4 })
  const picture = (name: string) => embed({ kind: 'picture', name, sha256: name })
  expect(await picture('3')).toMatch(/^<img alt="3"/)
  expect(await picture('6')).toContain('6 (0.0 MB) is too large to include.')
  expect(await picture('2')).toContain('the images are too large in total')
})
