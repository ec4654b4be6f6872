import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { testRepository, type TestRepository } from '../testing/test-repository.ts'
import { listBranches, listStashes } from './branches.ts'
import { readDiffs } from './git-diff.ts'
import { readStatus } from './git-status.ts'
import { findRepository, refuseLinks, type Repository } from './repository.ts'
import { openGit } from './run-git.ts'

const git = openGit({ PATH: process.env['PATH'] })!
let repo: TestRepository
let marks: string
beforeEach(() => {
  repo = testRepository()
  marks = path.join(repo.root, '.git', 'ran')
  mkdirSync(marks)
})
afterEach(() => repo.remove())

async function opened(folder = repo.root, trusted = false): Promise<Repository> {
  const found = await findRepository({ path: folder, trusted })
  if ('problem' in found) throw new Error(found.problem)
  return found
}

async function readAll(repository: Repository): Promise<void> {
  await readStatus(git, repository)
  await readDiffs(git, repository, {})
  await readDiffs(git, repository, { staged: true })
  await listBranches(git, repository)
  await listStashes(git, repository)
}

it('settings, hooks, attributes and submodules of an untrusted folder run nothing', async () => {
  repo.write('a.txt', 'one\n')
  repo.write('staged.txt', 'one\n')
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'one')
  const mark = (name: string): string => `touch '${path.join(marks, name)}'; cat`
  repo.write('.gitattributes', '* filter=evil.x diff=evil merge=evil\n')
  appendFileSync(repo.file('.git/info/attributes'), '* filter=evil.x\n')
  for (const [key, value] of [
    ['filter.evil.x.clean', mark('clean')],
    ['filter.evil.x.smudge', mark('smudge')],
    ['filter.evil.x.required', 'true'],
    ['filter.Other=1.process', mark('process')],
    ['diff.evil.textconv', mark('textconv')],
    ['diff.evil.command', mark('command')],
    ['diff.external', mark('external')],
    ['core.fsmonitor', mark('fsmonitor')],
    ['core.pager', mark('pager')],
    ['core.sshCommand', mark('ssh')],
    ['core.hooksPath', repo.file('hooks')],
    ['core.worktree', '/'],
    ['gpg.program', mark('gpg')],
    ['log.showSignature', 'true'],
    ['status.submoduleSummary', 'true'],
    ['diff.noprefix', 'true'],
    ['diff.submodule', 'log'],
    ['color.ui', 'always'],
    ['include.path', repo.file('.git/more')],
    ['protocol.ext.allow', 'always'],
    ['remote.origin.url', `ext::sh -c touch% ${path.join(marks, 'remote')}`],
    ['remote.origin.promisor', 'true'],
    ['core.repositoryformatversion', '1'],
    ['extensions.partialClone', 'origin'],
  ] as const)
    repo.git('config', key, value)
  repo.write('.git/more', `[filter "included"]\n\tclean = ${mark('included').replaceAll('"', '')}\n`)
  appendFileSync(repo.file('.git/info/attributes'), '*.md filter=included\n*.o filter=Other=1\n')
  mkdirSync(repo.file('hooks'))
  for (const hook of ['post-index-change', 'pre-commit', 'reference-transaction', 'fsmonitor-watchman']) {
    writeFileSync(repo.file(`hooks/${hook}`), `#!/bin/sh\n${mark(hook)}\n`)
    chmodSync(repo.file(`hooks/${hook}`), 0o755)
  }
  const object = repo.git('-c', 'core.worktree=', 'rev-parse', 'HEAD:a.txt').trim()
  const sub = repo.file('sub')
  mkdirSync(sub)
  execFileSync('git', ['init', '-q'], { cwd: sub })
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=b', 'commit', '--allow-empty', '-qm', 'sub'], {
    cwd: sub,
  })
  execFileSync('git', ['config', 'core.fsmonitor', mark('sub-fsmonitor')], { cwd: sub })
  repo.git(
    'update-index',
    '--add',
    '--cacheinfo',
    `160000,${execFileSync('git', ['rev-parse', 'HEAD'], { cwd: sub, encoding: 'utf8' }).trim()},sub`,
  )
  repo.write('a.txt', 'two\n')
  repo.write('staged.txt', 'two\n')
  repo.write('notes.md', 'new\n')
  repo.write('x.o', 'new\n')
  // The preparations may have run some.
  for (const name of readdirSync(marks)) rmSync(path.join(marks, name))
  const repository = await opened()
  await readAll(repository)
  const { files } = await readDiffs(git, repository, { paths: ['a.txt'] })
  expect(files).toMatchObject([{ path: 'a.txt', diff: '@@ -1 +1 @@\n-one\n+two\n' }])
  // An object that is missing must not be fetched from the remote, which is a program here.
  rmSync(repo.file(`.git/objects/${object.slice(0, 2)}/${object.slice(2)}`))
  await expect(readDiffs(git, repository, {})).rejects.toMatchObject({ name: 'GitOffline' })
  expect(readdirSync(marks)).toEqual([])
})

it('an untrusted folder cannot borrow another repository', async () => {
  repo.write('secret.txt', 'theirs\n')
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'one')
  const outside = testRepository()
  try {
    const elsewhere = { problem: 'elsewhere' }
    rmSync(outside.file('.git'), { recursive: true })
    outside.write('.git', `gitdir: ${repo.file('.git')}\n`)
    expect(await findRepository({ path: outside.root, trusted: false })).toMatchObject(elsewhere)
    expect(await findRepository({ path: outside.root, trusted: true })).toMatchObject({ root: outside.root })
    rmSync(outside.file('.git'))
    symlinkSync(repo.file('.git'), outside.file('.git'))
    expect(await findRepository({ path: outside.root, trusted: false })).toMatchObject(elsewhere)
    rmSync(outside.file('.git'))
    // It claims to be a worktree of the other repository, which knows nothing of it.
    mkdirSync(outside.file('own'))
    outside.write('.git', 'gitdir: own\n')
    outside.write('own/HEAD', 'ref: refs/heads/main\n')
    outside.write('own/commondir', repo.file('.git'))
    outside.write('own/gitdir', outside.file('.git'))
    expect(await findRepository({ path: outside.root, trusted: false })).toMatchObject(elsewhere)
    outside.write('.git', 'gitdir: nowhere\n')
    expect(await findRepository({ path: outside.root, trusted: false })).toEqual({ problem: 'none' })
    // A linked worktree is known to its repository.
    repo.git('worktree', 'add', '-q', path.join(outside.root, 'tree'))
    expect(await findRepository({ path: path.join(outside.root, 'tree'), trusted: false })).toMatchObject({
      root: path.join(outside.root, 'tree'),
    })
  } finally {
    outside.remove()
  }
})

it('a bare repository inside the folder is not used, and links in ".git" are not written through', async () => {
  const bare = repo.file('bare')
  execFileSync('git', ['init', '-q', '--bare', bare])
  expect(await opened(bare)).toMatchObject({ root: repo.root, prefix: 'bare/' })
  const repository = await opened()
  await refuseLinks(repository)
  symlinkSync('/etc/passwd', repo.file('.git/COMMIT_EDITMSG'))
  await expect(refuseLinks(repository)).rejects.toMatchObject({ name: 'GitLinked' })
  await refuseLinks({ ...repository, trusted: true })
  expect(existsSync(repo.file('.git/COMMIT_EDITMSG'))).toBe(true)
})

it('settings that are too long to check are refused, and run nothing', async () => {
  repo.write('a.txt', 'one\n')
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'one')
  repo.write('.gitattributes', '*.txt filter=evil\n')
  repo.write('a.txt', 'two\n')
  const noise = Array.from({ length: 6000 }, (_, i) => `\tk${String(i).padStart(195, 'a')} = 1\n`).join('')
  const evil = `[filter "evil"]\n\tclean = touch '${path.join(marks, 'clean')}'; cat\n`
  appendFileSync(repo.file('.git/config'), `[noise]\n${noise}${evil}`)
  await expect(readStatus(git, await opened())).rejects.toMatchObject({ name: 'GitFailed' })
  expect(readdirSync(marks)).toEqual([])
})
