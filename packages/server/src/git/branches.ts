import type { Repository } from './repository.ts'
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
