import { expect, test } from 'vitest'
import { createFakeServer, until } from '../../testing/fake-server.ts'

const url = `/ai/blobs/${'a'.repeat(64)}`

test('a file is uploaded at once; removed before sending, it is released', async () => {
  const server = createFakeServer()
  const session = server.openSession('new')
  void session.attach([new File(['words'], 'a.txt')])
  expect(session.getState().attachments).toMatchObject([{ name: 'a.txt', size: 5, url: null }])
  await server.replyJson('/ai/blobs', { url }, 201)
  await until(session, ({ attachments }) => attachments[0]?.url === url)
  session.detach(session.getState().attachments[0]?.id ?? '')
  expect(session.getState().attachments).toEqual([])
  expect(server.freed).toEqual([url])
})

test('one removed during its upload is not sent', async () => {
  const server = createFakeServer()
  const session = server.openSession('new')
  const attached = session.attach([new File(['words'], 'a.txt')])
  await expect.poll(() => server.requests.length).toBe(1)
  session.detach(session.getState().attachments[0]?.id ?? '')
  await attached
  expect(session.getState().attachments).toEqual([])
  expect(server.errors).toEqual([])
})

test('an empty or too large attachment has a helpful error', async () => {
  const server = createFakeServer()
  const session = server.openSession('new')
  await session.attach([new File([''], 'empty.txt'), new File([new Uint8Array(33 * 1024 * 1024)], 'film.mp4')])
  // One notice for all of them, so that none is missed.
  expect(server.errors.map((error) => (error as Error).message.split('\n'))).toEqual([
    [
      'Couldn’t attach 2 files:',
      '“empty.txt” is empty.',
      '“film.mp4” is 34.6 MB, but the limit is 33.6 MB. Put it in your folder and mention it with @.',
    ],
  ])
  await session.attach([new File([''], 'empty.txt')])
  expect((server.errors[1] as Error).message).toBe('“empty.txt” is empty.')
  expect(session.getState().attachments).toEqual([])
})

test('long texts get their own names; files are queued with their message and released with it', async () => {
  const server = createFakeServer()
  const session = server.openSession('new')
  void session.attachText('one')
  void session.attachText('two')
  expect(session.getState().attachments.map(({ name, text }) => [name, text])).toEqual([
    ['Pasted text.txt', 'one'],
    ['Pasted text 2.txt', 'two'],
  ])
  session.enqueue('look', [{ type: 'file', mediaType: 'text/plain', url, filename: 'a.txt' }])
  expect(session.getState()).toMatchObject({ draft: '', attachments: [] })
  session.dequeue(session.queue.getState().items.map(({ id }) => id))
  expect(server.freed).toEqual([url])
})
