import { lstat, open } from 'node:fs/promises'
import path from 'node:path'
import { secretIn } from '@troupe/command-policy'
import { hunksOf } from '@troupe/core'
import { type GitDiff, NamedError } from '@troupe/protocol'
import type { Repository } from './repository.ts'
import type { RunGit } from './run-git.ts'

export interface DiffRequest {
  /** Relative to the workspace. All changed files if absent. */
  paths?: readonly string[] | undefined
  staged?: boolean | undefined
  /** Also shows files that may contain secrets. */
  secret?: boolean | undefined
  offset?: number | undefined
  limit?: number | undefined
}

const maxOutput = 48 * 2 ** 20
/** Of one file. */
const maxCharacters = 200_000
/** Of one answer. */
const maxTogether = 4_000_000
const maxUntrackedBytes = 2 * 2 ** 20

/** Reads diffs of tracked files, then of untracked ones. */
export async function readDiffs(
  git: RunGit,
  repository: Repository,
  { paths, staged = false, secret = false, offset = 0, limit = 200 }: DiffRequest,
  signal?: AbortSignal,
): Promise<{ files: GitDiff[]; next: number | null }> {
  const where = paths?.map((given) => repositoryPath(repository, given)) ?? prefixOf(repository)
  const [{ stdout, isCut }, untracked] = await Promise.all([
    git(repository, { args: diffArguments(where, staged), signal, maxBytes: maxOutput }),
    staged ? [] : listUntracked(git, repository, where, signal),
  ])
  const chunks = splitPatch(stdout.toString('utf8'))
  // The last file of a cut output is not complete. Alone, its start is better than nothing.
  if (isCut && chunks.length > 1) chunks.pop()
  const total = chunks.length + (isCut ? 0 : untracked.length)
  const files: GitDiff[] = []
  let [at, together] = [offset, 0]
  for (; at < total && files.length < limit && together < maxTogether; at++) {
    const chunk = chunks[at]
    const file =
      chunk === undefined
        ? await untrackedDiff(repository, untracked[at - chunks.length] ?? '', secret)
        : await trackedDiff(repository, chunk, { secret, isCut: isCut && chunks.length === 1 })
    together += file.diff.length
    files.push(file)
  }
  return { files, next: at < total || (isCut && chunks.length > 1) ? at : null }
}

/** Relative to the top of the repository. Throws if it is not below the workspace. */
export function repositoryPath({ prefix }: Repository, given: string): string {
  const joined = path.posix.normalize(prefix + given)
  const isBelow = joined.startsWith(prefix) && !joined.startsWith('../') && joined !== '..' && !joined.startsWith('/')
  if (given.includes('\0') || !isBelow || /(?:^|\/)\.git(?:\/|$)/i.test(joined))
    throw new NamedError('BadRequest', 'The path must be below the folder.', { status: 400 })
  return joined
}

function prefixOf({ prefix }: Repository): string[] {
  return prefix === '' ? [] : [prefix]
}

/** The form of the output does not depend on settings. No program of a setting runs. */
function diffArguments(where: readonly string[], staged: boolean): string[] {
  return [
    '-c',
    'diff.suppressBlankEmpty=false',
    // Longer files are compared as binary, which takes no time.
    '-c',
    'core.bigFileThreshold=16m',
    'diff',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--no-relative',
    '--submodule=short',
    '--ignore-submodules=dirty',
    '--find-renames',
    '--src-prefix=a/',
    '--dst-prefix=b/',
    '--unified=3',
    '--inter-hunk-context=0',
    '-O/dev/null',
    '--patch',
    // Of a file in conflict, our side.
    ...(staged ? ['--cached'] : ['--ours']),
    '--',
    ...where,
  ]
}

async function listUntracked(
  git: RunGit,
  repository: Repository,
  where: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', '--', ...where]
  const { stdout } = await git(repository, { args, signal })
  return stdout.toString('utf8').split('\0').slice(0, -1)
}

/** A file of a patch. Names are quoted, so a line that begins a file can be nothing else. */
export function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --git )/m).filter((chunk) => chunk.startsWith('diff --git '))
}

async function trackedDiff(
  repository: Repository,
  chunk: string,
  { secret, isCut }: { secret: boolean; isCut: boolean },
): Promise<GitDiff> {
  const { head, body } = splitHead(chunk)
  const { before, after } = namesIn(head)
  const own = (name: string): string => name.slice(repository.prefix.length)
  const isMoved = before !== after && /^rename from /m.test(head)
  const isCreated = /^new file mode /m.test(head)
  const isDeleted = /^deleted file mode /m.test(head)
  const file = own(isDeleted ? before : after)
  const change = isCreated ? 'created' : isDeleted ? 'deleted' : isMoved ? 'moved' : 'changed'
  const modes = /^old mode (\d+)\nnew mode (\d+)/m.exec(head)
  const note = noteFor(head, body, isCreated || isDeleted)
  return finish(repository, {
    path: file,
    ...(isMoved && { from: own(before) }),
    change,
    diff: body,
    ...(note !== undefined && { note }),
    ...(modes !== null && { mode: `${modes[1]} → ${modes[2]}` }),
    secret,
    isCut,
  })
}

function noteFor(head: string, body: string, isWhole: boolean): GitDiff['note'] {
  if (/^(?:Binary files |GIT binary patch)/m.test(head)) return 'binary'
  if (/^(?:index [0-9a-f.]+ 160000|(?:new|deleted) file mode 160000)/m.test(head)) return 'submodule'
  if (body === '' && !isWhole && /^old mode /m.test(head)) return 'mode'
  return undefined
}

function splitHead(chunk: string): { head: string; body: string } {
  const at = chunk.indexOf('\n@@ ')
  return at === -1 ? { head: chunk, body: '' } : { head: chunk.slice(0, at + 1), body: chunk.slice(at + 1) }
}

/** Names of both sides, relative to the repository. Those of `---` and `+++` are unambiguous where they exist. */
function namesIn(head: string): { before: string; after: string } {
  const field = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(head)?.[1]
    return found === undefined ? undefined : unquote(found)
  }
  const [old, now] = [field(/^--- (.*?)\t?$/m), field(/^\+\+\+ (.*?)\t?$/m)]
  const before = field(/^rename from (.*)$/m) ?? withoutSide(old)
  const after = field(/^rename to (.*)$/m) ?? withoutSide(now)
  const [first = '', second = first] = before === undefined || after === undefined ? bothNames(head) : []
  return { before: before ?? after ?? first, after: after ?? before ?? second }
}

function withoutSide(name: string | undefined): string | undefined {
  return name === undefined || name === '/dev/null' ? undefined : name.slice(2)
}

/** The names in `diff --git a/x b/x`. Without quotes they are the same, except for the side. */
function bothNames(head: string): [string, string] {
  const line = head.slice('diff --git '.length, head.indexOf('\n'))
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(line)
  if (quoted !== null) return [unquote(quoted[1]!).slice(2), unquote(quoted[2]!).slice(2)]
  const name = line.slice(2, (line.length - 1) / 2)
  return [name, name]
}

const escapes: Record<string, string> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }

/** Undoes git's quotes: C escapes, with bytes in octal. */
export function unquote(name: string): string {
  if (!name.startsWith('"')) return name
  const bytes = name
    .slice(1, -1)
    .replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal: string | undefined, sign: string) =>
      octal === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(Number.parseInt(octal, 8)),
    )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

async function untrackedDiff(repository: Repository, name: string, secret: boolean): Promise<GitDiff> {
  const file = path.join(repository.root, name)
  const shown = name.slice(repository.prefix.length)
  const stats = await lstat(file).catch(() => undefined)
  const base = { path: shown, change: 'created' as const, diff: '', secret, isCut: false }
  if (stats?.isFile() !== true) return finish(repository, { ...base, note: 'not-a-file' })
  if (stats.size > maxUntrackedBytes) return finish(repository, { ...base, note: 'too-long' })
  const bytes = await readStart(file, stats.size)
  if (bytes.subarray(0, 8000).includes(0)) return finish(repository, { ...base, note: 'binary' })
  return finish(repository, { ...base, diff: asAdded(bytes.toString('utf8')) })
}

async function readStart(file: string, size: number): Promise<Buffer> {
  await using handle = await open(file, 'r')
  const bytes = Buffer.alloc(size)
  const { bytesRead } = await handle.read(bytes, 0, size, 0)
  return bytes.subarray(0, bytesRead)
}

function asAdded(text: string): string {
  if (text === '') return ''
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  if (isEnded) lines.pop()
  const head = `@@ -0,0 +1${lines.length === 1 ? '' : `,${lines.length}`} @@`
  return [head, ...lines.map((line) => `+${line}`), ...(isEnded ? [] : ['\\ No newline at end of file']), ''].join('\n')
}

type Unfinished = Pick<GitDiff, 'path' | 'from' | 'change' | 'diff' | 'note' | 'mode'> & {
  secret: boolean
  isCut: boolean
}

/** Hides secrets, counts and cuts lines, and adds hunks. */
async function finish(repository: Repository, { secret, isCut, ...file }: Unfinished): Promise<GitDiff> {
  const isHidden = !secret && [file.path, file.from ?? ''].some((name) => secretIn(name) !== undefined)
  const { added, removed } = countLines(file.diff)
  const version = await fileVersion(path.join(repository.folder, file.path))
  if (isHidden) return { ...file, diff: '', note: 'secret', added, removed, version, hunks: [] }
  const isLong = isCut || file.diff.length > maxCharacters
  if (isLong)
    return {
      ...file,
      diff: file.diff.slice(0, maxCharacters).replace(/[^\n]*$/, ''),
      added,
      removed,
      cut: true,
      version,
      hunks: [],
    }
  const hunks = file.note === undefined ? hunksOf(file).map(({ id, from, to }) => ({ id, from, to })) : []
  return { ...file, added, removed, version, hunks }
}

function countLines(diff: string): { added: number; removed: number } {
  const counts = { added: 0, removed: 0 }
  for (let at = 0; at < diff.length; at = diff.indexOf('\n', at) + 1 || diff.length) {
    const sign = diff.charCodeAt(at)
    if (sign === 43) counts.added++
    else if (sign === 45) counts.removed++
  }
  return counts
}

/** Changes with every write to the file. Empty if there is none. */
export async function fileVersion(file: string): Promise<string> {
  const stats = await lstat(file, { bigint: true }).catch(() => undefined)
  return stats === undefined ? '' : `${stats.mtimeNs}-${stats.ctimeNs}-${stats.size}-${stats.ino}`
}
