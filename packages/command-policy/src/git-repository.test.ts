import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { isPlainRepository, trackedFiles } from './git-repository.ts'

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'plain-repository-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let count = 0
const env = { PATH: process.env['PATH'] ?? '', HOME: base, GIT_CONFIG_NOSYSTEM: '1' }

/** Creates a repository with one commit, and a program that leaves a marker file if git runs it. */
function repository(): { top: string; mark: string; evil: string; git(...words: string[]): string } {
  const top = path.join(base, `r${count++}`)
  mkdirSync(top)
  const mark = path.join(base, `mark${count}`)
  const evil = path.join(base, `evil${count}`)
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 })
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: top, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'n')
  git('config', 'user.email', 'e@example.com')
  git('remote', 'add', 'origin', 'https://example.com/x.git')
  writeFileSync(path.join(top, 'a.txt'), 'one\n')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return { top, mark, evil, git }
}

it('accepts an ordinary repository, from any folder in it', () => {
  const { top } = repository()
  mkdirSync(path.join(top, 'src/deep'), { recursive: true })
  expect(isPlainRepository(top)).toBe(true)
  expect(isPlainRepository(path.join(top, 'src/deep'))).toBe(true)
  // The temporary folder is in no repository.
  expect(isPlainRepository(base)).toBe(true)
  expect(isPlainRepository(path.join(base, 'not-there'))).toBe(true)
})

const hostile: Record<string, (made: ReturnType<typeof repository>) => void> = {
  'a file system monitor': ({ git, evil }) => void git('config', 'core.fsmonitor', evil),
  'a filter': ({ git, top, evil }) => {
    git('config', 'filter.x.clean', evil)
    writeFileSync(path.join(top, '.gitattributes'), '*.txt filter=x\n')
    writeFileSync(path.join(top, 'a.txt'), 'two\n')
  },
  'an external diff': ({ git, top, evil }) => {
    git('config', 'diff.external', evil)
    writeFileSync(path.join(top, 'a.txt'), 'two\n')
  },
  'a text converter': ({ git, top, evil }) => {
    git('config', 'diff.x.textconv', evil)
    writeFileSync(path.join(top, '.gitattributes'), '*.txt diff=x\n')
    writeFileSync(path.join(top, 'a.txt'), 'two\n')
  },
  'a hook on the index': ({ top, evil }) => {
    mkdirSync(path.join(top, '.git/hooks'), { recursive: true })
    writeFileSync(path.join(top, '.git/hooks/post-index-change'), `#!/bin/sh\n${evil} </dev/null\n`, { mode: 0o755 })
    writeFileSync(path.join(top, 'a.txt'), 'one\n')
  },
  'an included file': ({ git, top, evil }) => {
    writeFileSync(path.join(top, 'more'), `[core]\n\tfsmonitor = ${evil}\n`)
    git('config', 'include.path', '../more')
  },
  'a repository within': ({ git, top, evil }) => {
    const inner = path.join(top, 'inner')
    mkdirSync(inner)
    const there = (...words: string[]): void => void execFileSync('git', words, { cwd: inner, env, stdio: 'ignore' })
    there('init', '-q')
    writeFileSync(path.join(inner, 'b'), 'b')
    there('add', '-A')
    there('-c', 'user.name=n', '-c', 'user.email=e@example.com', 'commit', '-q', '-m', 'x')
    git('add', 'inner')
    git('commit', '-q', '-m', 'inner')
    there('config', 'core.fsmonitor', evil)
  },
}

for (const [what, make] of Object.entries(hostile)) {
  it(`refuses one with ${what}, which git would run`, () => {
    const made = repository()
    make(made)
    expect(isPlainRepository(made.top)).toBe(false)
    made.git('status', '-s')
    made.git('diff')
    expect(existsSync(made.mark)).toBe(true)
  })
}

it('rejects a folder that pretends to be a git directory', () => {
  const { top, evil, mark } = repository()
  const inner = path.join(top, 'docs')
  execFileSync('git', ['init', '-q', '--bare', inner], { env })
  execFileSync('git', ['config', '--file', path.join(inner, 'config'), 'core.bare', 'false'], { env })
  execFileSync('git', ['config', '--file', path.join(inner, 'config'), 'core.worktree', '.'], { env })
  execFileSync('git', ['config', '--file', path.join(inner, 'config'), 'core.fsmonitor', evil], { env })
  expect(isPlainRepository(inner)).toBe(false)
  expect(isPlainRepository(path.join(inner, 'refs'))).toBe(false)
  execFileSync('git', ['status', '-s'], { cwd: inner, env, stdio: 'ignore' })
  expect(existsSync(mark)).toBe(true)
})

it('accepts a linked worktree of an ordinary repository', () => {
  const { top, git, evil, mark } = repository()
  const tree = path.join(base, `tree${count}`)
  git('worktree', 'add', '-q', tree, '-b', 'other')
  expect(isPlainRepository(tree)).toBe(true)
  expect(trackedFiles(tree)).toEqual({ top: tree, secrets: [], names: ['a.txt'] })
  git('config', 'extensions.worktreeConfig', 'true')
  expect(isPlainRepository(tree)).toBe(false)
  git('config', '--unset', 'extensions.worktreeConfig')
  writeFileSync(path.join(top, '.git/hooks/post-index-change'), `#!/bin/sh\n${evil} </dev/null\n`, { mode: 0o755 })
  expect(isPlainRepository(tree)).toBe(false)
  writeFileSync(path.join(tree, 'a.txt'), 'one\n')
  execFileSync('git', ['status', '-s'], { cwd: tree, env, stdio: 'ignore' })
  expect(existsSync(mark)).toBe(true)
})

it('refuses a worktree whose settings are elsewhere', () => {
  const { top, git, evil } = repository()
  const { top: other } = repository()
  const tree = path.join(base, `tree${count}`)
  git('worktree', 'add', '-q', tree, '-b', 'other')
  git('config', 'core.fsmonitor', evil)
  expect(isPlainRepository(tree)).toBe(false)
  writeFileSync(path.join(tree, '.git'), `gitdir: ${path.join(other, '.git')}\n`)
  expect(isPlainRepository(tree)).toBe(false)
  const folder = path.join(top, '.git/worktrees', path.basename(tree))
  writeFileSync(path.join(folder, 'commondir'), `${path.join(other, '.git')}\n`)
  writeFileSync(path.join(tree, '.git'), `gitdir: ${folder}\n`)
  expect(isPlainRepository(tree)).toBe(false)
})

it('accepts a folder of hooks without the one that reading runs, and settings for the network', () => {
  const { top, git, mark, evil } = repository()
  git('config', 'core.hooksPath', '.husky/_')
  git('config', 'credential.helper', 'store')
  git('config', 'http.https://example.com/.extraheader', 'x')
  mkdirSync(path.join(top, '.husky/_'), { recursive: true })
  writeFileSync(path.join(top, '.husky/_/pre-commit'), '#!/bin/sh\n', { mode: 0o755 })
  expect(isPlainRepository(top)).toBe(true)
  const hook = path.join(top, '.husky/_/post-index-change')
  writeFileSync(hook, `#!/bin/sh\n${evil} </dev/null\n`, { mode: 0o755 })
  expect(isPlainRepository(top)).toBe(false)
  writeFileSync(path.join(top, 'a.txt'), 'one\n')
  git('status', '-s')
  expect(existsSync(mark)).toBe(true)
  for (const folder of ['~/hooks', '%(prefix)/hooks', '"a b"']) {
    git('config', 'core.hooksPath', folder)
    expect([folder, isPlainRepository(top)]).toEqual([folder, false])
  }
})

it('refuses settings that it does not understand, and modules', () => {
  const odd = [
    '[core]\n\tbare = false \\\n fsmonitor = x\n',
    '[core] fsmonitor = x\n',
    '[diff "a\\"b"]\n\tcommand = x\n',
    '[remote "origin"]\n\tpromisor = true\n',
    '[remote "origin"]\n\tuploadpack = x\n',
    '[core]\n\tsshCommand = x\n',
    '[core]\n\tpager = x\n',
    '[gpg]\n\tprogram = x\n',
    '[alias]\n\tst = !x\n',
    '[CORE]\n\tFSMONITOR = x\n',
    'nonsense\n',
  ]
  const { top: changed } = repository()
  for (const text of odd) {
    const top = changed
    writeFileSync(path.join(top, '.git/config'), text)
    expect([text, isPlainRepository(top)]).toEqual([text, false])
  }
  const { top } = repository()
  writeFileSync(path.join(top, '.gitmodules'), '')
  expect(isPlainRepository(top)).toBe(false)
})
