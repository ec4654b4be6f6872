import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { troupe, useTroupe } from '../testing/use-troupe.ts'

const place = useTroupe()

test('troupe -p --worktree answers on a new branch after the setup command', async () => {
  const work = path.join(place.folder, 'work')
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=a@example.org', ...args], {
      cwd: work,
      encoding: 'utf8',
    })
  expect(await troupe(place, ['-p', 'hello', '--worktree'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Worktrees run programs of the repository. Trust the folder first.'),
  })
  await troupe(place, ['trust'])
  expect(await troupe(place, ['-p', 'hello', '--worktree'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Worktrees need git and a folder in a git repository.'),
  })
  git('init', '-q', '-b', 'main')
  writeFileSync(path.join(work, 'a.txt'), 'a\n')
  git('add', '-A')
  git('commit', '-qm', 'first')
  const config = { worktrees: { [work]: { setup: 'echo > prepared.txt' } } }
  writeFileSync(path.join(place.folder, 'home', 'config.json'), JSON.stringify(config), { mode: 0o600 })
  const { code, stderr } = await troupe(place, ['-p', 'hello there', '--worktree', '--base', 'main'])
  expect(code).toBe(0)
  const [, folder = '', branch = ''] = /working in (.+) on the branch (\S+)/.exec(stderr) ?? []
  expect(git('branch', '--list', branch).trim()).toBe(`+ ${branch}`)
  expect(existsSync(path.join(folder, 'prepared.txt'))).toBe(true)
  expect(existsSync(path.join(work, 'prepared.txt'))).toBe(false)
  expect((await troupe(place, ['-p', 'x', '--worktree', '-c'])).code).toBe(2)
  expect((await troupe(place, ['-p', 'x', '--base', 'main'])).code).toBe(2)
})
