import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readDiffs } from '../packages/server/src/git/git-diff.ts'
import { readStatus } from '../packages/server/src/git/git-status.ts'
import { findRepository } from '../packages/server/src/git/repository.ts'
import { openGit } from '../packages/server/src/git/run-git.ts'
import { median, times } from './measure.ts'

const [files, changed, rounds] = [50_000, 500, 7]

export const name = 'git status and all diffs, 50,000 files, 500 changed, untrusted'
export const bar = 'at most 1.5 x git itself'

export async function run(): Promise<{ value: string; ok: boolean; detail: string }> {
  const root = mkdtempSync(path.join(tmpdir(), 'bench-git-'))
  try {
    makeRepository(root)
    const run = openGit(process.env)
    const repository = await findRepository({ path: root, trusted: false })
    if (run === undefined || 'problem' in repository) throw new Error('no repository')
    const plain = (...args: string[]): Buffer => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 28 })
    const own: number[] = []
    const theirs: number[] = []
    // In turns, so that both meet the same load.
    for (let round = 0; round < rounds; round++) {
      theirs.push(
        await timed(() => {
          plain('status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all')
          plain('diff')
        }),
      )
      own.push(
        await timed(async () => {
          const status = await readStatus(run, repository)
          if (status.files.length !== changed) throw new Error(`found ${status.files.length} files`)
          const { files: diffs, next } = await readDiffs(run, repository, { limit: 1000 })
          if (diffs.length !== changed || next !== null) throw new Error(`read ${diffs.length} diffs`)
        }),
      )
    }
    const ratio = median(own) / median(theirs)
    return {
      value: times(ratio),
      ok: ratio <= 1.5,
      detail: `${median(own).toFixed(0)} ms, git ${median(theirs).toFixed(0)} ms`,
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function makeRepository(root: string): void {
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.org', ...args], {
      cwd: root,
      stdio: 'ignore',
    })
  }
  git('init', '-q')
  for (let folder = 0; folder < files / 100; folder++) {
    const place = path.join(root, `folder-${folder}`)
    mkdirSync(place)
    for (let file = 0; file < 100; file++) writeFileSync(path.join(place, `${file}.ts`), lines(folder * 100 + file))
  }
  git('add', '-A')
  git('commit', '-qm', 'all')
  for (let file = 0; file < changed; file++)
    writeFileSync(path.join(root, `folder-${file}`, '7.ts'), lines(file).replace('line 3', 'changed'))
}

function lines(seed: number): string {
  return Array.from({ length: 20 }, (_, line) => `line ${line} of ${seed}\n`).join('')
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
