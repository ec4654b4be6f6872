import type { Worktree } from '@troupe/protocol'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../api/request.ts'
import { button, change, click, eventually, field, render, type } from '../testing/render.tsx'
import { WorktreeDialog } from './worktree-dialog.tsx'

// Each takes what its endpoint takes.
// oxlint-disable-next-line typescript/no-explicit-any
type Mock = (...given: any[]) => any

const worktree = (name: string, fields: Partial<Worktree> = {}): Worktree => ({
  id: `wt_${name}`,
  workspaceId: `w_${name}`,
  name,
  path: `/home/me/worktrees/${name}`,
  branch: `troupe/${name}`,
  base: 'main',
  start: '0123456789',
  createdAt: 1,
  state: 'ready',
  files: 2,
  added: 10,
  removed: 3,
  uncommitted: 1,
  ahead: 1,
  behind: 0,
  ...fields,
})

function open(worktrees: Worktree[], fields: object = {}) {
  const api = {
    worktrees: vi.fn<Mock>(() =>
      Promise.resolve({
        worktrees,
        parent: { workspaceId: 'w_main', path: '/home/me/main' },
        setup: { command: null, asked: false, suggestion: 'npm ci' },
        forge: true,
      }),
    ),
    createWorktree: vi.fn<Mock>(() => Promise.resolve({ worktree: worktree('new') })),
    setWorktreeSetup: vi.fn<Mock>(() => Promise.resolve({ ok: true })),
    mergeWorktree: vi.fn<Mock>(() => Promise.resolve({ commit: 'c', base: 'main' })),
    updateWorktree: vi.fn<Mock>(() => Promise.resolve({ conflicts: ['a.ts'] })),
    discardWorktree: vi.fn<Mock>((_: string, force: boolean) =>
      force
        ? Promise.resolve({ kept: 'refs/troupe/discarded/wt_one' })
        : Promise.reject(
            new ApiError(409, {
              name: 'WorktreeUnsaved',
              message: 'unsaved',
              data: {
                uncommitted: 1,
                ignored: { count: 2, names: ['.env', 'out/'] },
                repositories: { count: 1, names: ['vendor/lib'] },
              },
            }),
          ),
    ),
    ...fields,
  }
  const other = { app: { newSession: vi.fn<Mock>() }, sendAsNew: vi.fn<Mock>() }
  const folders = {
    show: vi.fn<Mock>(),
    refresh: vi.fn<Mock>(() => Promise.resolve()),
    remove: vi.fn<Mock>(() => Promise.resolve()),
    workspace: () => other,
  }
  return { api, folders, other }
}

test('a new chat starts in a worktree of its own; the setup command is asked once', async () => {
  const { api, folders, other } = open([])
  await render(<WorktreeDialog />, { workspace: { api, folders } as never })
  await eventually(() => document.body.textContent.includes('No worktrees yet.'))
  expect(field('Setup command').value).toBe('npm ci')
  await click(button('No setup needed'))
  expect(api.setWorktreeSetup).toHaveBeenCalledWith(null)
  await type(field('What is it for?'), 'Fix it')
  await click(button('New chat in a worktree'))
  await eventually(() => other.app.newSession.mock.calls.length === 1)
  expect(api.createWorktree).toHaveBeenCalledWith({ name: 'Fix it', base: undefined })
  expect(folders.show).toHaveBeenCalledWith('w_new')
})

test('work is merged, a conflict goes to an agent, and unsaved work is discarded only after a question', async () => {
  const conflict = new ApiError(409, { name: 'MergeConflict', message: 'conflict', data: { files: ['a.ts'] } })
  const { api, folders, other } = open([worktree('one', { behind: 2 }), worktree('gone', { state: 'missing' })], {
    mergeWorktree: vi.fn<Mock>((_: string, squash: boolean) =>
      squash ? Promise.resolve({ commit: 'c', base: 'main' }) : Promise.reject(conflict),
    ),
  })
  await render(<WorktreeDialog />, { workspace: { api, folders } as never })
  await eventually(() => document.body.textContent.includes('2 files +10 −3 2 commits behind'))
  expect([button('Merge gone').disabled, button('Open gone').disabled]).toEqual([true, true])
  await click(button('Merge one'))
  await eventually(() => document.querySelector('.worktree-conflict') !== null)
  await click(button('Let an agent resolve it'))
  await eventually(() => other.sendAsNew.mock.calls.length === 1)
  expect(other.sendAsNew.mock.calls[0]?.[0]).toContain('- a.ts')
  expect(folders.show).toHaveBeenCalledWith('w_one')
  const choose = async (item: string) => {
    await click(button('More for one'))
    await eventually(() => document.querySelector('[role=menuitem]') !== null)
    await click([...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((one) => one.textContent === item)!)
  }
  await choose('Squash and merge')
  await eventually(() => document.body.textContent.includes('one is merged into main.'))
  await choose('Discard…')
  await eventually(() => document.body.textContent.includes('Discard this worktree?'))
  expect(document.body.textContent).toContain('2 files and folders that git ignores.envout/')
  expect(document.body.textContent).toContain(
    '1 repository inside with changes or commits that exist nowhere elsevendor/lib',
  )
  expect(folders.remove).not.toHaveBeenCalled()
  const form = button('Discard').closest('form')!
  await change(() => form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })))
  await eventually(() => document.body.textContent.includes('kept as refs/troupe/discarded/wt_one'))
  expect(folders.remove).toHaveBeenCalledWith('w_one')
})
