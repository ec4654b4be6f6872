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
const beside = (sessionId: string, step: 1 | -1) => adjacentSession({ ...state, sessionId }, step)

test('chats follow the order of the list, those in open folders first', () => {
  expect([beside('i', 1), beside('o', 1), beside('a', 1)]).toEqual(['o', 'a', 'b'])
  expect([beside('b', -1), beside('a', -1), beside('o', -1)]).toEqual(['a', 'o', 'i'])
})

test('the list ends, and from outside of it the first chat comes next', () => {
  expect(beside('b', 1)).toBeUndefined()
  expect(beside('i', -1)).toBeUndefined()
  expect(beside('new', 1)).toBe('i')
})
