import { beforeEach, expect, test, vi } from 'vitest'
import { Notices } from '../state/notices.tsx'
import { button, click, eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { conversationHtml } from './share-actions.ts'
import { ShareDialog } from './share-dialog.tsx'

const page = `<!doctype html><html><head><style>p{}</style></head><body data-print><header><h1>Trip</h1><p>2026</p></header>
<main><article class="user" data-at="0"><h2>You · now</h2><section class="text"><p>Where to?</p></section></article>
<article class="answer"><h2>Answer</h2><details class="call"><summary>Search</summary><pre>secret input</pre></details>
<section class="text"><p>To <a href="https://example.com" onclick="x()">Oslo</a>.</p></section></article></main>
<form id="player"><button>Play</button></form><script>alert(1)</script></body></html>`

const published = { name: 'trip-1.html', place: '/pub/trip-1.html', url: 'https://x.org/trip-1.html', publishedAt: 1 }
const written: Record<string, string>[] = []

beforeEach(() => {
  written.length = 0
  vi.stubGlobal(
    'ClipboardItem',
    class {
      content: Record<string, Promise<Blob>>
      constructor(content: Record<string, Promise<Blob>>) {
        this.content = content
      }
    },
  )
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: {
      write: async ([item]: { content: Record<string, Promise<Blob>> }[]) => {
        const texts = await Promise.all(
          Object.entries(item!.content).map(async ([type, blob]) => [type, await (await blob).text()] as const),
        )
        written.push(Object.fromEntries(texts))
      },
      writeText: async (text: string) => void written.push({ text }),
    },
  })
  return () => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  }
})

async function show(answers = {}) {
  return render(
    <>
      <ShareDialog />
      <Notices />
    </>,
    {
      app: { dialog: 'share', shared: { sessionId: 's1', leaf: 'm2' } },
      answers: {
        'GET /ai/publish': () => ({ target: { folder: '/pub', url: 'https://x.org' } }),
        'GET /ai/sessions/s1/publish': () => ({ published: null, elsewhere: [] }),
        'GET /ai/sessions/s1/export': (_: unknown, query: URLSearchParams) =>
          new Response(query.get('format') === 'html' ? page : '# Trip'),
        ...answers,
      },
    },
  )
}

test('rich text has the conversation alone: no tool calls, scripts, handlers or controls', () => {
  const html = conversationHtml(page)
  expect(html).toContain('<h1>Trip</h1>')
  expect(html).toContain('<a href="https://example.com">Oslo</a>')
  expect(html).not.toMatch(/secret input|script|onclick|Play|class=|data-/)
})

test('the chat is copied as Markdown, and as rich text with Markdown for plain fields', async () => {
  await show()
  await click(button(t.share.copyMarkdown))
  await click(button(t.share.copyRich))
  await eventually(() => written.length === 2)
  expect(written[0]).toEqual({ text: '# Trip' })
  expect(written[1]?.['text/plain']).toBe('# Trip')
  expect(written[1]?.['text/html']).toContain('Oslo')
})

test('printing loads a page that prints itself in a sandbox, and goes after it', async () => {
  await show()
  // The DOM of these tests loads no frames.
  const frames: HTMLIFrameElement[] = []
  vi.spyOn(document.body, 'append').mockImplementation(
    (...added) => void frames.push(...(added as HTMLIFrameElement[])),
  )
  await click(button(t.share.print))
  expect(frames).toHaveLength(1)
  const frame = frames[0]!
  expect(frame.src).toContain('format=html&lang=en&branch=m2&print=1')
  expect(frame.getAttribute('sandbox')).toBe('allow-scripts allow-modals')
  const source = {}
  Object.defineProperty(frame, 'contentWindow', { value: source })
  const removed = vi.spyOn(frame, 'remove')
  const say = (from: unknown) =>
    window.dispatchEvent(Object.assign(new MessageEvent('message', { data: { type: 'printed' } }), { source: from }))
  say({})
  expect(removed).not.toHaveBeenCalled()
  say(source)
  expect(removed).toHaveBeenCalled()
})

test('publishing gives a link, which can be updated and taken back', async () => {
  let state: typeof published | null = null
  const { view, requests } = await show({
    'GET /ai/sessions/s1/publish': () => ({ published: state, elsewhere: [] }),
    'POST /ai/sessions/s1/publish': () => ({ published: (state = published), elsewhere: [] }),
    'DELETE /ai/publish/pages/trip-1.html': () => {
      state = null
      return { deleted: 'trip-1.html' }
    },
  })
  await eventually(() => view.textContent.includes(t.share.publishAbout))
  await click(button(t.share.publish))
  await eventually(() => view.querySelector('a')?.textContent === published.url)
  await click(button(t.share.update))
  await eventually(() => requests.filter((request) => request.startsWith('POST')).length === 2)
  await click(button(t.share.unpublish))
  await eventually(() => view.textContent.includes(t.share.publishAbout))
  expect(view.querySelector('a')).toBeNull()
})

test('a page in a place of earlier settings can be unpublished, also when there is no place now', async () => {
  let elsewhere = [published]
  const { view } = await show({
    'GET /ai/publish': () => ({ target: null }),
    'GET /ai/sessions/s1/publish': () => ({ published: null, elsewhere }),
    'DELETE /ai/publish/pages/trip-1.html': () => {
      elsewhere = []
      return { deleted: 'trip-1.html' }
    },
  })
  await eventually(() => view.querySelector('a')?.textContent === published.url)
  await click(button(`${t.share.unpublish}: /pub/trip-1.html`))
  await eventually(() => view.querySelector('a') === null)
  expect(button(t.share.chooseTarget).disabled).toBe(false)
})

test('a refusal is shown, and publishing can be tried again', async () => {
  const { view } = await show({
    'POST /ai/sessions/s1/publish': () =>
      Response.json({ error: { name: 'PublishFailed', message: 'b refused the request: 403.' } }, { status: 502 }),
  })
  await eventually(() => view.textContent.includes(t.share.publishAbout))
  await click(button(t.share.publish))
  await eventually(() => view.querySelector('[role=alert]')?.textContent.includes('403') === true)
  expect(button(t.share.publish).disabled).toBe(false)
})

test('without a place to publish, the settings are one click away', async () => {
  const { app } = await show({ 'GET /ai/publish': () => ({ target: null }) })
  await eventually(() => document.body.textContent.includes(t.share.noTarget))
  await click(button(t.share.chooseTarget))
  expect(app.getState()).toMatchObject({ dialog: 'settings', settingsAt: 'sharing' })
})
