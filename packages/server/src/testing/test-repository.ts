import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface TestRepository {
  /** Real path. */
  root: string
  /** Runs git as a person would, with an identity and no other settings. */
  git(...args: string[]): string
  write(name: string, text: string): void
  file(name: string): string
  /** Starts again, without files and commits. */
  reset(): void
  remove(): void
}

/** A repository in a temporary folder, without commits. */
export function testRepository(): TestRepository {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-git-')))
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const init = (): string => git('init', '-q', '-b', 'main')
  init()
  return {
    root,
    git,
    write: (name, text) => writeFileSync(path.join(root, name), text),
    file: (name) => path.join(root, name),
    reset() {
      for (const name of readdirSync(root)) rmSync(path.join(root, name), { recursive: true })
      init()
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
