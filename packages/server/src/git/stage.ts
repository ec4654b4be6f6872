import { acceptedLines, type Hunk, hunksOf } from '@troupe/core'
import { type GitDiff, NamedError } from '@troupe/protocol'
import { readDiffs, repositoryPath } from './git-diff.ts'
import { refuseLinks, type Repository } from './repository.ts'
import { namesFilter, type RunGit } from './run-git.ts'

export interface FileParts {
  path: string
  /** All of it if absent. */
  hunks?: readonly string[] | undefined
}

/** Stages files as they are, or some of their hunks. */
export async function stage(git: RunGit, repository: Repository, files: readonly FileParts[]): Promise<void> {
  await refuseLinks(repository)
  const paths = files.map(({ path }) => repositoryPath(repository, path))
  await refuseFiltered(git, repository, paths)
  const whole: string[] = []
  for (const [index, { path, hunks }] of files.entries()) {
    const name = paths[index]!
    whole.push(...(hunks === undefined ? [name] : await stagePart(git, repository, { path, name, hunks }, false)))
  }
  if (whole.length > 0) await git(repository, { args: ['add', '--all', ...pathsFromInput], input: whole.join('\0') })
}

/** Takes files, or some of their hunks, out of the index. */
export async function unstage(git: RunGit, repository: Repository, files: readonly FileParts[]): Promise<void> {
  await refuseLinks(repository)
  const whole: string[] = []
  for (const { path, hunks } of files) {
    const name = repositoryPath(repository, path)
    whole.push(...(hunks === undefined ? [name] : await stagePart(git, repository, { path, name, hunks }, true)))
  }
  if (whole.length > 0) await git(repository, { args: ['reset', '-q', ...pathsFromInput], input: whole.join('\0') })
}

const pathsFromInput = ['--pathspec-from-file=-', '--pathspec-file-nul']

interface Part {
  path: string
  /** The path in the repository. */
  name: string
  hunks: readonly string[]
}

/** Returns the names to stage as a whole, if the hunks are all there is or cannot be taken alone. */
async function stagePart(
  git: RunGit,
  repository: Repository,
  { path, name, hunks: wanted }: Part,
  isStaged: boolean,
): Promise<string[]> {
  const { diff, hunks } = await shownHunks(git, repository, path, { wanted, staged: isStaged })
  // A new, deleted or moved file is one hunk without lines.
  if (wanted.length >= hunks.length || hunks.some(({ id, lines }) => lines === undefined && wanted.includes(id)))
    return diff.from === undefined ? [name] : [name, repositoryPath(repository, diff.from)]
  const entry = await indexEntry(git, repository, name)
  if (entry === undefined) throw fileChanged(path)
  const isWanted = ({ id }: Hunk): boolean => wanted.includes(id)
  const index = linesOf(await blob(git, repository, entry.object))
  let lines: string[]
  if (isStaged) {
    const before = linesOf(await blob(git, repository, `HEAD:${repositoryPath(repository, diff.from ?? path)}`))
    lines = acceptedLines(index, before, hunks.map(reversed), isWanted)
  } else lines = acceptedLines(index, linesOf(await cleaned(git, repository, name)), hunks, isWanted)
  const { stdout } = await git(repository, { args: ['hash-object', '-w', '--stdin'], input: bytesOf(lines) })
  const line = `${entry.mode} ${stdout.toString('latin1').trim()} 0\t${name}\0`
  await git(repository, { args: ['update-index', '-z', '--index-info'], input: line })
  return []
}

/** The hunks of a file as they are now. Throws `FileChanged` if one of the wanted is not among them. */
export async function shownHunks(
  git: RunGit,
  repository: Repository,
  path: string,
  { wanted, staged }: { wanted: readonly string[]; staged: boolean },
): Promise<{ diff: GitDiff; hunks: Hunk[] }> {
  const read = async (paths?: string[]): Promise<GitDiff | undefined> => {
    const { files } = await readDiffs(git, repository, { paths, staged, secret: true, limit: 1000 })
    return files.find((file) => file.path === path)
  }
  const alone = await read([path])
  // It may be renamed, which git tells only if it sees both names.
  const diff = staged && alone?.change === 'created' ? await read() : alone
  const hunks = diff === undefined || diff.cut === true ? [] : hunksOf(diff)
  const known = new Set(hunks.map(({ id }) => id))
  if (diff === undefined || wanted.some((id) => !known.has(id))) throw fileChanged(path)
  return { diff, hunks }
}

export function fileChanged(path: string): NamedError {
  return new NamedError('FileChanged', 'The file has changed since it was shown. Look at it again.', {
    status: 409,
    data: { path },
  })
}

/** Swaps the sides, so that accepting takes a change back. */
export function reversed(hunk: Hunk): Hunk {
  return hunk.lines === undefined ? hunk : { ...hunk, lines: { before: hunk.lines.after, after: hunk.lines.before } }
}

/** Bytes as characters, so that any encoding stays exact. */
export function linesOf(bytes: Uint8Array): string[] {
  return Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n)/)
}

export function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(''), 'latin1')
}

export interface IndexEntry {
  mode: string
  object: string
}

/** Undefined if the file is not in the index, or in conflict. */
export async function indexEntry(git: RunGit, repository: Repository, name: string): Promise<IndexEntry | undefined> {
  const { stdout } = await git(repository, { args: ['ls-files', '--stage', '-z', '--', name] })
  const [, mode, object] = /^(\d+) ([0-9a-f]+) 0\t/.exec(stdout.toString('utf8')) ?? []
  return mode === undefined || object === undefined ? undefined : { mode, object }
}

async function blob(git: RunGit, repository: Repository, object: string): Promise<Buffer> {
  return (await git(repository, { args: ['cat-file', 'blob', object], maxBytes: maxBlob })).stdout
}

/** The file as git would store it. */
async function cleaned(git: RunGit, repository: Repository, name: string): Promise<Buffer> {
  const { stdout } = await git(repository, { args: ['hash-object', '-w', `--path=${name}`, '--', name] })
  return blob(git, repository, stdout.toString('latin1').trim())
}

const maxBlob = 256 * 2 ** 20

/** In an untrusted folder no filter runs, so such files would be stored or restored in the wrong form. */
export async function refuseFiltered(git: RunGit, repository: Repository, names: readonly string[]): Promise<void> {
  if (await usesFilter(git, repository, names))
    throw new NamedError(
      'NeedsTrust',
      'Some of these files go through a filter program, such as Git LFS. Trust the folder first.',
      { status: 409 },
    )
}

async function usesFilter(git: RunGit, repository: Repository, names: readonly string[]): Promise<boolean> {
  if (repository.trusted) return false
  const { stdout: settings, isCut } = await git(repository, {
    args: ['config', '--includes', '--list', '--name-only', '-z'],
  })
  if (!isCut && !settings.toString('utf8').split('\0').some(namesFilter)) return false
  const args = ['check-attr', '-z', '--stdin', 'filter']
  const { stdout } = await git(repository, { args, input: names.join('\0') })
  const fields = stdout.toString('utf8').split('\0')
  return fields.some((value, index) => index % 3 === 2 && value !== 'unspecified' && value !== 'unset')
}
