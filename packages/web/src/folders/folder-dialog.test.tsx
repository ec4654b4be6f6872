import { expect, test, vi } from 'vitest'
import type { RecentFolder } from '@troupe/protocol'
import { createStore } from 'zustand/vanilla'
import { ApiError } from '../api/request.ts'
import { button, click, eventually, field, named, render, type } from '../testing/render.tsx'
import type { Folders, FoldersState } from '../workspace/workspace-types.ts'
import { AllFolders } from './all-folders.tsx'
import { FolderDialog } from './folder-dialog.tsx'

const folder = (name: string, fields: Partial<RecentFolder> = {}): RecentFolder => ({
  id: `w_${name}`,
  name,
  path: `/home/me/${name}`,
  trusted: false,
  state: 'ok',
  own: false,
  chats: 0,
  running: 0,
  worktrees: 0,
  asks: 0,
  usedAt: 1,
  createdAt: 1,
  ...fields,
})

function openFolders(recent: RecentFolder[], open: Folders['open'] = () => Promise.resolve()) {
  const store = createStore<FoldersState>(() => ({ current: null, recent, roots: ['/home/me'], showsAll: true }))
  const folders = {
    ...store,
    open: vi.fn<Folders['open']>(open),
    show: vi.fn<Folders['show']>(),
    remove: vi.fn<Folders['remove']>(() => Promise.resolve()),
    refresh: vi.fn<Folders['refresh']>(() => Promise.resolve()),
    setShowsAll: vi.fn<Folders['setShowsAll']>(),
  }
  return folders as unknown as Folders & typeof folders
}

test('recent folders are found by words, shown and removed; those that cannot be used say why', async () => {
  const folders = openFolders([
    folder('main', { own: true }),
    folder('notes', { asks: 2 }),
    folder('drive', { state: 'slow' }),
    folder('old', { state: 'missing' }),
  ])
  const { view } = await render(<FolderDialog />, { workspace: { folders, folder: null } })
  const rows = () => [...view.querySelectorAll('.folder-row-open')].map((row) => row.textContent)
  expect(rows()).toEqual([
    'main/home/me/mainopen',
    'notes/home/me/notes2 requests',
    'drive/home/me/driveNot responding',
    'old/home/me/oldNot found',
    '/home/me',
  ])
  await click(button('Remove old from this list'))
  expect(folders.remove).toHaveBeenCalledWith('w_old')
  await type(field('Folder'), 'not')
  expect(rows()).toEqual(['notes/home/me/notes2 requests'])
  await click(view.querySelector<HTMLElement>('.folder-row-open')!)
  expect(folders.show).toHaveBeenCalledWith('w_notes')
})

test('a typed path lists its folders; a missing one can be created', async () => {
  const missing = new ApiError(400, { name: 'BadWorkspace', message: 'Not there.' })
  const folders = openFolders([], (_, options) => (options?.create ? Promise.resolve() : Promise.reject(missing)))
  const entries = [{ name: 'app', path: '/home/me/app', git: true }]
  const answers = {
    'GET /ai/workspaces/complete': () => ({ folder: '/home/me', state: 'ok', entries, isCut: true }),
  }
  const { view } = await render(<FolderDialog />, { workspace: { folders, folder: null }, answers })
  await type(field('Folder'), '/home/me/')
  await eventually(() => view.textContent.includes('app'))
  expect(view.textContent).toContain('There are more.')
  await click(view.querySelectorAll<HTMLElement>('.folder-row-open')[1]!)
  expect(field('Folder').value).toBe('/home/me/app/')
  await click(button('Open'))
  expect(view.querySelector('[role=alert]')?.textContent).toContain('Not there.')
  await click(button('Create and open'))
  expect(folders.open).toHaveBeenLastCalledWith('/home/me/app/', { create: true })
})

test('chats of all folders are grouped by folder', async () => {
  const sessions = [{ id: 's7', title: 'Plan the trip', pinned: false, updatedAt: 1 }]
  const folders = openFolders([folder('main', { own: true }), folder('notes', { chats: 3, sessions, running: 1 })])
  const { view } = await render(<AllFolders />, { workspace: { folders, folder: null } })
  expect([...view.querySelectorAll('h3')].map((one) => one.textContent)).toEqual(['main', 'notes'])
  await click(named('.all-chat', /Plan the trip/))
  expect(folders.show).toHaveBeenCalledWith('w_notes', 's7')
  await click(button('Show all 3 chats'))
  expect(folders.setShowsAll).toHaveBeenCalledWith(false)
})
