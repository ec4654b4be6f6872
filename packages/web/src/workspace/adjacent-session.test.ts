import type { Folder } from '@troupe/core'
import { expect, test } from 'vitest'
import { listed } from '../testing/open-app.ts'
import { adjacentSession } from './app-state.ts'

const folder = (id: string, parentFolderId: string | null): Folder => ({ id, parentFolderId }) as Folder
const page = (...ids: string[]) => ({ sessions: ids.map((id) => listed(id)), nextCursor: null })
const state = {
  sessions: [listed('a'), listed('b')],
  folders: [folder('outer', null), folder('inner', 'outer'), folder('shut', null)],
  openFolders: ['outer', 'inner'],
  folderPages: { outer: page('o'), inner: page('i'), shut: page('unseen') },
}
const adjacent = (sessionId: string, step: 1 | -1) => adjacentSession({ ...state, sessionId }, step)

test('chats follow the order of the list, those in open folders first', () => {
  expect([adjacent('i', 1), adjacent('o', 1), adjacent('a', 1)]).toEqual(['o', 'a', 'b'])
  expect([adjacent('b', -1), adjacent('a', -1), adjacent('o', -1)]).toEqual(['a', 'o', 'i'])
})

test('the list ends, and from outside of it the first chat comes next', () => {
  expect(adjacent('b', 1)).toBeUndefined()
  expect(adjacent('i', -1)).toBeUndefined()
  expect(adjacent('new', 1)).toBe('i')
})
