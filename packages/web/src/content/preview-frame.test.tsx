import { expect, test } from 'vitest'
import { change, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { linkFrame, PreviewFrame } from './preview-frame.tsx'

// An empty page answers for the frame, in whose name the tests speak.
const { settings } = (window as never as { happyDOM: { settings: { fetch: object } } }).happyDOM
const beforeAsyncRequest = () => Promise.resolve(new Response(''))
Object.assign(settings, {
  enableIframePageLoading: true,
  fetch: { ...settings.fetch, interceptor: { beforeAsyncRequest } },
})

const page = { kind: 'html', html: '<h1>Hello</h1>' } as const

async function show() {
  const { view, draw } = await render(<PreviewFrame title="Page" show={page} heights={[120, 560]} />)
  const frame = view.querySelector('iframe')!
  const sent: unknown[] = []
  const source = { postMessage: (message: unknown) => sent.push(message) }
  Object.defineProperty(frame, 'contentWindow', { value: source })
  const say = (data: unknown, from: unknown = source) =>
    change(() => window.dispatchEvent(Object.assign(new MessageEvent('message', { data }), { source: from })))
  return { view, draw, frame, sent, say }
}

test('the frame can run scripts and nothing else: no origin, no popups, no forms, no referrer', async () => {
  const { frame } = await show()
  expect(frame.getAttribute('sandbox')).toBe('allow-scripts')
  expect(frame.getAttribute('referrerpolicy')).toBe('no-referrer')
  expect(frame.getAttribute('src')).toBe('/preview.html')
  expect(frame.hasAttribute('srcdoc')).toBe(false)
})

test('the content is sent once, to the frame that reports ready', async () => {
  const { sent, say } = await show()
  await say({ type: 'ready' }, { postMessage: () => undefined })
  await say({ type: 'ready' }, null)
  expect(sent).toEqual([])
  await say({ type: 'ready' })
  await say({ type: 'ready' })
  expect(sent).toEqual([{ type: 'show', ...page }])
})

test('the height follows the content, within its bounds', async () => {
  const { frame, say } = await show()
  for (const [height, shown] of [
    [300.2, '301px'],
    [5, '120px'],
    [90_000, '560px'],
  ] as const) {
    await say({ type: 'height', height })
    expect(frame.style.height).toBe(shown)
  }
})

test('hostile messages change nothing', async () => {
  const { view, frame, say } = await show()
  await say({ type: 'height', height: 300 })
  const before = view.innerHTML
  const hostile = [
    null,
    'ready',
    [],
    { type: 'height', height: Infinity },
    { type: 'height', height: -1 },
    { type: 'height', height: '100%; position: fixed' },
    { type: 'blocked', count: 1e9 },
    { type: 'error', text: 'x'.repeat(501) },
    { type: 'error', text: { toString: () => 'x' } },
    { type: '__proto__' },
    { type: 'answer', id: 'x', value: 1 },
  ]
  for (const data of hostile) await say(data)
  expect(view.innerHTML).toBe(before)
  expect(frame.style.height).toBe('300px')
})

test('errors and blocked requests are reported as text', async () => {
  const { view, say } = await show()
  await say({ type: 'error', text: '<b>boom</b>\u202E' })
  await say({ type: 'blocked', count: 2 })
  expect(view.querySelector('b')).toBeNull()
  expect(view.textContent).toContain('<b>boom</b>⟨U+202E⟩')
  expect(view.textContent).toContain(t.previews.blocked(2))
})

test('a request for an image ends with its own answer, a timeout or the end of the frame', async () => {
  const source = { postMessage: () => undefined }
  const frame = { contentWindow: source } as unknown as HTMLIFrameElement
  const link = linkFrame(frame, page)
  const say = (data: unknown) => window.dispatchEvent(Object.assign(new MessageEvent('message', { data }), { source }))
  const first = link.ask({ what: 'png' })
  const second = link.ask({ what: 'png' })
  say({ type: 'answer', id: 2, value: 'two' })
  say({ type: 'answer', id: 1, error: 'no canvas' })
  await expect(second).resolves.toBe('two')
  await expect(first).rejects.toThrow('no canvas')
  await expect(link.ask({ what: 'png' }, 1)).rejects.toThrow(t.previews.tooLong)
  const last = link.ask({ what: 'png' })
  link.close()
  await expect(last).rejects.toThrow(t.previews.closed)
})
