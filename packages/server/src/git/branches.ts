import { NamedError } from '@troupe/protocol'
import { refuseLinks, type Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'

const maxBranches = 500

export interface BranchInfo {
  name: string
  remote: boolean
  current: boolean
  subject: string
  committedAt: number
}

/** Local and remote branches, the newest first. */
export async function listBranches(
  git: RunGit,
  repository: Repository,
): Promise<{ branches: BranchInfo[]; isCut: boolean }> {
  const fields = ['%(refname)', '%(HEAD)', '%(committerdate:unix)', '%(symref)', '%(contents:subject)']
  const args = ['for-each-ref', '--sort=-committerdate', `--count=${maxBranches + 1}`, `--format=${fields.join('%00')}`]
  const { stdout } = await git(repository, { args: [...args, 'refs/heads', 'refs/remotes'] })
  const lines = stdout.toString('utf8').split('\n').slice(0, -1)
  const branches = lines.slice(0, maxBranches).flatMap((line): BranchInfo[] => {
    const [ref = '', head, time, symref, subject = ''] = line.split('\0')
    // `origin/HEAD` only names another branch.
    if (symref !== '') return []
    const remote = ref.startsWith('refs/remotes/')
    const name = ref.replace(/^refs\/(?:heads|remotes)\//, '')
    return [{ name, remote, current: head === '*', subject, committedAt: Number(time) * 1000 }]
  })
  return { branches, isCut: lines.length > maxBranches }
}

const maxStashes = 100

export interface StashInfo {
  id: string
  text: string
  createdAt: number
}

/** The newest first, as `stash@{n}` counts them. */
export async function listStashes(git: RunGit, repository: Repository): Promise<StashInfo[]> {
  const args = ['log', '-g', '-z', `--max-count=${maxStashes}`, '--format=%H%x01%ct%x01%gs', 'refs/stash', '--']
  const { stdout, code } = await git(repository, { args, accepts: [128] })
  if (code !== 0) return []
  return stdout
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [id = '', time, text = ''] = line.split('\x01')
      return { id, text, createdAt: Number(time) * 1000 }
    })
}

/** Creates a branch and switches to it. */
export async function createBranch(
  git: RunGit,
  repository: Repository,
  { name, from }: { name: string; from?: string | undefined },
): Promise<void> {
  await refuseLinks(repository)
  await checkName(git, repository, name)
  if (from !== undefined) await checkName(git, repository, from)
  const start = from === undefined ? [] : [from]
  await git(repository, { args: ['switch', '--quiet', '--no-track', '--create', name, ...start], limitMs: longMs })
}

/** Switches to a local branch. Of a remote one, creates the local branch that follows it. */
export async function switchBranch(git: RunGit, repository: Repository, name: string): Promise<void> {
  await refuseLinks(repository)
  await checkName(git, repository, name)
  const isLocal = await exists(git, repository, `refs/heads/${name}`)
  const isRemote = !isLocal && (await exists(git, repository, `refs/remotes/${name}`))
  const how = isRemote ? ['--track'] : ['--no-guess']
  await git(repository, { args: ['switch', '--quiet', ...how, name], limitMs: longMs })
}

const longMs = 5 * 60_000

async function exists(git: RunGit, repository: Repository, ref: string): Promise<boolean> {
  return (await git(repository, { args: ['show-ref', '--verify', '--quiet', ref], accepts: [1] })).code === 0
}

/** A name that begins with a dash would be an option. */
async function checkName(git: RunGit, repository: Repository, name: string): Promise<void> {
  const isFine =
    /^[^-@\p{Cc}][^\p{Cc}]*$/u.test(name) &&
    (await git(repository, { args: ['check-ref-format', `refs/heads/${name}`], accepts: [1] })).code === 0
  if (isFine) return
  throw new NamedError(
    'BadBranchName',
    'This is not a valid branch name. Use letters, digits, "-", "_" and "/", without spaces.',
    { status: 400 },
  )
}

export async function pushStash(
  git: RunGit,
  repository: Repository,
  { message, untracked = false }: { message?: string | undefined; untracked?: boolean | undefined },
): Promise<void> {
  await refuseLinks(repository)
  const before = (await listStashes(git, repository))[0]?.id
  const args = ['stash', 'push', '--quiet', ...(untracked ? ['--include-untracked'] : [])]
  const text = message?.trim() ?? ''
  await git(repository, { args: [...args, ...(text === '' ? [] : [`--message=${text}`])], limitMs: longMs })
  if ((await listStashes(git, repository))[0]?.id === before)
    throw new NamedError('NothingToStash', 'There are no changes to stash.', { status: 409 })
}

/** Finds the stash by its commit, since numbers shift when another one is added. */
export async function popStash(git: RunGit, repository: Repository, id: string): Promise<void> {
  await refuseLinks(repository)
  const index = (await listStashes(git, repository)).findIndex((stash) => stash.id === id)
  if (index === -1) throw new NamedError('StashNotFound', 'This stash no longer exists.', { status: 404 })
  await git(repository, { args: ['stash', 'pop', '--quiet', `stash@{${index}}`], limitMs: longMs })
}
