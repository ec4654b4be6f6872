import { describe, expect, test } from 'vitest'
import { ask, listed, openApp } from '../testing/open-app.ts'

const page = (...ids: string[]) => ({ sessions: ids.map((id) => listed(id)), nextCursor: null, hits: [] })
const answers = {
  'GET /ai/asks': () => ({ asks: [] }),
  'GET /ai/models': () => ({ models: [], defaultModel: null }),
  'GET /ai/rules': () => ({ mode: 'default' }),
  'GET /ai/workspace': () => ({ workspace: undefined }),
}

describe('the shelf', () => {
  test('an opened folder is loaded, stays open, and accepts chats', async () => {
    const folders = [{ id: 'f', workspaceId: 'w', parentFolderId: null, name: 'F', sessionCount: 1, createdAt: 1 }]
    const patched: unknown[] = []
    const { app, errors } = openApp({
      ...answers,
      'GET /ai/folders': () => ({ folders }),
      'GET /ai/sessions': () => page('a', 'b'),
      'PATCH /ai/sessions/a': (body) => {
        patched.push(body)
        return { session: listed('a') }
      },
    })
    await app.refresh()
    expect(app.getState()).toMatchObject({ folders, folderPages: {} })
    await app.toggleFolder('f')
    expect(app.getState().folderPages['f']?.sessions.map(({ id }) => id)).toEqual(['a', 'b'])
    await app.changeSessions(['a'], { folderId: 'f' })
    expect(patched).toEqual([{ folderId: 'f' }])
    await app.toggleFolder('f')
    expect(app.getState().folderPages).toEqual({})
    expect(errors).toEqual([])
  })

  test('a deleted chat leaves the page at once, other tabs are notified, and a failure does not block the rest', async () => {
    const { app, errors, broadcasts } = openApp(
      {
        ...answers,
        'GET /ai/sessions': () => page('c'),
        'PATCH /ai/sessions/a': () => ({ session: listed('a') }),
        'PATCH /ai/sessions/c': () => ({ session: listed('c') }),
      },
      'a',
    )
    await app.refresh()
    app.setPicked(['a', 'gone', 'c'])
    await app.changeSessions(['a', 'gone', 'c'], { trashed: true })
    expect(errors).toHaveLength(1)
    expect(broadcasts).toEqual([])
    await app.changeSessions(['a', 'c'], { trashed: true })
    expect(broadcasts).toEqual(['changed a', 'changed c'])
    expect(app.getState()).toMatchObject({ isNew: true, picked: null })
  })

  test('a restored chat is back, even below the first page', async () => {
    const aged = (id: string, updatedAt: number) => listed(id, { updatedAt })
    const { app, errors } = openApp({
      ...answers,
      'GET /ai/sessions': (_, query) =>
        query.has('cursor')
          ? { sessions: [aged('b', 5), aged('d', 3)], nextCursor: null, hits: [] }
          : { sessions: [aged('a', 9)], nextCursor: 'after a', hits: [] },
      'PATCH /ai/sessions/c': () => ({ session: aged('c', 4) }),
    })
    await app.refresh()
    await app.loadMoreSessions()
    await app.changeSessions(['c'], { trashed: false })
    expect(app.getState().sessions.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(errors).toEqual([])
  })

  test('a page requested twice is loaded once', async () => {
    const { app, errors } = openApp({
      ...answers,
      'GET /ai/sessions': (_, query) => (query.has('cursor') ? page('b') : { ...page('a'), nextCursor: 'after a' }),
    })
    const ids = (sessions: { id: string }[] | undefined) => sessions?.map(({ id }) => id)
    await app.refresh()
    await Promise.all([app.loadMoreSessions(), app.loadMoreSessions()])
    expect(ids(app.getState().sessions)).toEqual(['a', 'b'])
    await app.setView('archived')
    await Promise.all([app.loadMoreOf(null), app.loadMoreOf(null)])
    expect(ids(app.getState().otherView?.sessions)).toEqual(['a', 'b'])
    expect(errors).toEqual([])
  })

  test('views are read when they are shown', async () => {
    const { app } = openApp({ ...answers, 'GET /ai/sessions': () => page('x') })
    await app.setView('trashed')
    expect(app.getState()).toMatchObject({ view: 'trashed', otherView: { sessions: [{ id: 'x' }] } })
    await app.setView('active')
    expect(app.getState().otherView).toBeNull()
  })
})

test('after a run, folders and asks are read only if it can have changed what is shown of them', async () => {
  const folders = [{ id: 'f', workspaceId: 'w', parentFolderId: null, name: 'F', sessionCount: 1, createdAt: 1 }]
  let open = [ask('a1')]
  const { app, requests } = openApp({
    ...answers,
    'GET /ai/asks': () => ({ asks: open }),
    'GET /ai/folders': () => ({ folders }),
    'GET /ai/sessions': () => page('s1', 's2'),
  })
  await app.refresh()
  const readAfterRun = async (id: string) => {
    const before = requests.length
    await app.refreshAfterRun(id)
    return requests.slice(before).sort()
  }
  expect(await readAfterRun('s2')).toEqual(['GET /ai/sessions'])
  open = []
  expect(await readAfterRun('s1')).toEqual(['GET /ai/asks', 'GET /ai/sessions'])
  expect(app.getState().asks).toEqual([])
  expect(await readAfterRun('s1')).toEqual(['GET /ai/sessions'])
  await app.toggleFolder('f')
  expect(await readAfterRun('s1')).toEqual(['GET /ai/folders', 'GET /ai/sessions', 'GET /ai/sessions'])
})
