import { expect, test } from 'vitest'
import { button, change, click, field, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { Composer } from './composer.tsx'

const model = { ref: 'acme/large', name: 'Large', providerName: 'Acme', tags: [] }
const open = { access: 'open', models: [model], modelsLoaded: true, defaultModel: 'acme/large' } as never

async function show(chat = {}, app = {}) {
  return render(<Composer />, { chat, app: { ...(open as object), ...app } })
}

async function running() {
  const shown = await show()
  await change(() => void shown.session.send('hello'))
  const stream = await shown.server.replyStream('/ai/chat?hold=1')
  await change(() => stream.write(1, { type: 'start', messageId: 'a1' }))
  return { ...shown, stream }
}

test('Enter sends the draft and empties the field; Shift+Enter does not', async () => {
  const { server, session } = await show()
  await type(field(t.composer.message), 'hello')
  await press(field(t.composer.message), 'Enter', { shiftKey: true })
  expect(server.requests).toEqual([])
  await press(field(t.composer.message), 'Enter')
  expect(server.requests[0]).toMatchObject({
    path: '/ai/chat?hold=1',
    body: { message: { parts: [{ text: 'hello' }] } },
  })
  expect(session.getState().draft).toBe('')
})

test('an unfinished composition of an input method is not sent', async () => {
  const { server } = await show({ draft: 'にほ' })
  await press(field(t.composer.message), 'Enter', { isComposing: true })
  expect(server.requests).toEqual([])
})

test('white space cannot be sent', async () => {
  const { server } = await show({ draft: ' \n\t' })
  expect(button(t.composer.send).disabled).toBe(true)
  await press(field(t.composer.message), 'Enter')
  expect(server.requests).toEqual([])
})

test('during a run Enter queues, Ctrl+Enter steers and Escape stops', async () => {
  const { server, session } = await running()
  const box = () => field(t.composer.messageDuringRun)
  await type(box(), 'later')
  await press(box(), 'Enter')
  expect(session.queue.getState().items.map(({ text }) => text)).toEqual(['later'])
  await type(box(), 'now')
  await press(box(), 'Enter', { ctrlKey: true })
  expect(server.requests.at(-1)).toMatchObject({ path: '/ai/chat/s1/steer', body: { text: 'now' } })
  await press(box(), 'Escape')
  expect(server.requests.at(-1)?.path).toBe('/ai/chat/s1/stop')
  expect(button(t.composer.stopping).disabled).toBe(true)
})

const waiting = { id: 'f1', name: 'a.txt', size: 3, mediaType: 'text/plain', url: null }
const uploaded = { ...waiting, url: `/ai/blobs/${'a'.repeat(64)}` }

test('a file that is still uploading blocks sending', async () => {
  const { session } = await show({ draft: 'look', attachments: [waiting] })
  expect(button(t.composer.send).disabled).toBe(true)
  await change(() => session.setState({ attachments: [uploaded] as never }))
  expect(button(t.composer.send).disabled).toBe(false)
})

test('a message that is sent during an upload waits for the file', async () => {
  const { session, server } = await show({ draft: 'look', attachments: [waiting] })
  await press(field(t.composer.message), 'Enter')
  expect(server.requests).toEqual([])
  await change(() => session.setState({ attachments: [uploaded] as never }))
  expect(server.requests[0]).toMatchObject({ body: { message: { parts: [{ url: uploaded.url }, { text: 'look' }] } } })
})

test.each<[string, (session: Awaited<ReturnType<typeof show>>['session']) => unknown]>([
  ['the upload fails', (session) => session.setState({ attachments: [] as never })],
  ['the message is edited', () => type(field(t.composer.message), 'look again')],
])('a message that waits for a file is not sent if %s', async (_, happens) => {
  const { session, server } = await show({ draft: 'look', attachments: [waiting] })
  await press(field(t.composer.message), 'Enter')
  await change(() => void happens(session))
  await change(() => session.setState({ attachments: [uploaded] as never }))
  expect(server.requests).toEqual([])
})

test('a message to a deleted chat starts another one', async () => {
  const { sentAsNew, server, session } = await show({ draft: 'hello', phase: 'missing' })
  await click(button(t.composer.sendAsNew))
  await press(field(t.composer.message), 'Enter')
  expect(sentAsNew).toEqual(['hello'])
  expect(session.getState().draft).toBe('')
  expect(server.requests).toEqual([])
})

test.each([
  ['the server is away', { access: 'unreachable' }, t.composer.serverUnreachable],
  ['no model is set up', { models: [] }, t.composer.noModel],
  ['the models cannot be listed', { modelsFailure: 'disk full' }, t.composer.modelsFailed('disk full')],
])('nothing can be sent while %s, and the reason is shown', async (_, app, reason) => {
  const { view, server, session } = await show({ draft: 'hello' }, app)
  expect(view.textContent).toContain(reason)
  await press(field(t.composer.message), 'Enter')
  expect(server.requests).toEqual([])
  expect(session.getState().draft).toBe('hello')
})

test('a huge draft is unchanged and shows its size', async () => {
  const text = '<b>x</b>'.repeat(100_000)
  const { view } = await show({ draft: text })
  expect(field(t.composer.message).value).toBe(text)
  expect(view.querySelector('.composer-hint')?.textContent).toMatch(/200/)
  expect(view.querySelector('b')).toBeNull()
})
