import type { GitStatus } from '@troupe/protocol'
import { expect, test } from 'vitest'
import { button, change, click, eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { GitView } from './git-view.tsx'

test('an untrusted folder can be trusted from the Git view', async () => {
  let trusted = false
  const status = (): GitStatus => ({
    state: 'ready',
    root: '/work',
    trusted,
    branch: { name: 'main', head: 'abc', upstream: null, ahead: 0, behind: 0 },
    stashes: 0,
    files: [],
    counts: { staged: 0, unstaged: 0, untracked: 0, conflicts: 0 },
    isCut: false,
    stagedVersion: '',
    stagedElsewhere: 0,
  })
  const { view } = await render(<GitView refreshed={0} />, {
    answers: {
      'GET /ai/git/status': status,
      'PATCH /ai/workspace': () => {
        trusted = true
        return { workspace: { id: 'w', path: '/work', trusted } }
      },
    },
  })
  await eventually(() => view.textContent.includes(t.changes.untrusted))
  await click(button(t.settings.trust.give))
  await click([...document.querySelectorAll<HTMLButtonElement>('dialog button')].at(-1) as HTMLButtonElement)
  await change(() => undefined)
  await eventually(() => !view.textContent.includes(t.changes.untrusted))
  expect(trusted).toBe(true)
})
