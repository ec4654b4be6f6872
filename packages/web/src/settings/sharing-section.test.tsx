import { expect, test } from 'vitest'
import { button, click, eventually, field, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { SharingSection } from './sharing-section.tsx'

const page = { name: 'trip.html', place: 'chats/trip.html', url: null, publishedAt: 1, sessionId: 's9', title: null }

test('a page that cannot be deleted says why and can be removed from the list', async () => {
  let pages = [page]
  const { view, requests } = await render(<SharingSection />, {
    answers: {
      'GET /ai/publish': () => ({ target: null }),
      'GET /ai/publish/pages': () => ({ pages }),
      'DELETE /ai/publish/pages/trip.html': (_: unknown, query: URLSearchParams) => {
        if (query.get('forget') !== '1')
          return Response.json({ error: { name: 'PublishFailed', message: 'chats refused: 403.' } }, { status: 502 })
        pages = []
        return { deleted: 'trip.html' }
      },
    },
  })
  await eventually(() => view.textContent.includes(t.share.ofDeleted))
  await click(button(`${t.share.unpublish}: chats/trip.html`))
  await eventually(() => view.querySelector('[role=alert]')?.textContent.includes('403') === true)
  await click(button(`${t.share.forget}: chats/trip.html`))
  await click(button(t.share.forget))
  await eventually(() => !view.textContent.includes(t.share.pages))
  expect(requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(2)
})

test('the place can be saved only if it is complete and changed', async () => {
  let target: object | null = null
  const { view } = await render(<SharingSection />, {
    answers: {
      'GET /ai/publish': () => ({ target }),
      'GET /ai/publish/pages': () => ({ pages: [] }),
      'PUT /ai/publish': (body: unknown) => ({ target: (target = (body as { target: object }).target) }),
    },
  })
  await eventually(() => view.textContent.includes(t.share.where))
  const save = () => button(t.ui.save) as HTMLButtonElement
  expect(save().disabled).toBe(true)
  await click(field(t.share.kinds.folder))
  expect(save().disabled).toBe(true)
  await type(field(t.share.folder), '/srv/pages')
  expect(save().disabled).toBe(false)
  await click(save())
  await eventually(() => target !== null && save().disabled)
  await click(field(t.share.kinds.none))
  expect(save().disabled).toBe(false)
})
