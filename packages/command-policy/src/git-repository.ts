import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { TrackedFiles } from './command-analysis.ts'
import { secretIn } from './sensitive-paths.ts'

/**
 * True if git, started in a folder, runs nothing that the folder provides. A repository's own settings can name
 * programs (`core.fsmonitor`, filters, `diff.external`), so every setting must be on an allowlist. It must contain no
 * hook that a read-only command can trigger and no nested repository. The folder itself must not pose as a bare
 * repository. The user's own settings are trusted. Outside a repository git has nothing to run.
 */
export function isPlainRepository(folder: string): boolean {
  try {
    const top = repositoryRoot(folder)
    return top === null || (top !== undefined && isPlain(path.join(top, '.git'), top))
  } catch {
    return false
  }
}

/**
 * Returns the files git tracks around a folder. Null outside a repository, undefined if unknown. Excludes secrets that
 * are no longer tracked.
 */
export function trackedFiles(folder: string): TrackedFiles | null | undefined {
  try {
    const top = repositoryRoot(folder)
    if (top === null || top === undefined) return top
    const index = readIndex(path.join(top, '.git'))
    return index.secrets === undefined ? undefined : { top, secrets: index.secrets }
  } catch {
    return undefined
  }
}

/**
 * Finds the closest parent folder with `.git`. Returns null if there is none, undefined if another kind of repository
 * comes first.
 */
function repositoryRoot(folder: string): string | null | undefined {
  // Nothing can run in a missing folder. Git resolves links before it goes up.
  if (!exists(folder)) return null
  for (let at = realpathSync(folder); ; at = path.dirname(at)) {
    const git = statSync(path.join(at, '.git'), { throwIfNoEntry: false })
    // A `.git` file points elsewhere: worktrees, submodules.
    if (git !== undefined) return git.isDirectory() && isRepository(path.join(at, '.git')) ? at : undefined
    // Git treats a folder that looks like a bare repository as one.
    if (exists(path.join(at, 'HEAD')) && exists(path.join(at, 'objects'))) return undefined
    if (at === path.dirname(at)) return null
  }
}

/** Git skips an invalid `.git` folder and continues upward. */
function isRepository(git: string): boolean {
  const isFolder = (name: string): boolean => statSync(path.join(git, name)).isDirectory()
  const head = readFileSync(path.join(git, 'HEAD'), 'utf8')
  return isFolder('objects') && isFolder('refs') && /^(ref: refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/.test(head)
}

const plainSetting = new RegExp(
  [
    String.raw`core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|abbrev|quotepath|untrackedcache|preloadindex|compression|protectntfs|protecthfs)`,
    String.raw`remote\..*\.(url|pushurl|fetch|push|prune|tagopt|gh-resolved|skipfetchall)`,
    String.raw`branch\..*\.(remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)`,
    String.raw`(user|author|committer)\.(name|email|useconfigonly)`,
    String.raw`(pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.prune|merge\.(ff|conflictstyle)|rebase\.(autostash|autosquash)|init\.defaultbranch|color\.\w+|column\.\w+|gc\.auto|gui\..*|advice\..*|lfs\.repositoryformatversion|status\.(short|branch|showuntrackedfiles)|log\.(date|decorate|follow)|diff\.(renames|algorithm|colormoved|mnemonicprefix|noprefix)|extensions\.objectformat|commit\.(gpgsign|verbose)|tag\.(gpgsign|sort))`,
  ].join('|'),
)
const plainSettingLine = new RegExp(`^(?:${plainSetting.source})$`)

function isPlain(git: string, top: string): boolean {
  const config = readFileSync(path.join(git, 'config'), 'utf8')
  if (config.length > 100_000 || !settingsOf(config).every((name) => name !== undefined && plainSettingLine.test(name)))
    return false
  const names = readdirSync(git)
  if (names.some((name) => /^(config\.worktree|modules|commondir|gitdir|sharedindex\..*)$/.test(name))) return false
  if (exists(path.join(git, 'hooks', 'post-index-change'))) return false
  if (exists(path.join(git, 'objects', 'info', 'alternates'))) return false
  return !exists(path.join(top, '.gitmodules')) && !readIndex(git).repositories
}

/** Returns the lowercased `section.key` or `section.name.key` of each line, undefined for lines it cannot parse. */
function settingsOf(config: string): (string | undefined)[] {
  let section: string | undefined
  const names: (string | undefined)[] = []
  for (const line of config.split('\n').map((one) => one.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue
    const head = /^\[([A-Za-z0-9.-]+)(?:\s+"([^"\\]*)")?\]$/.exec(line)
    if (head !== null) {
      section = head[2] === undefined ? head[1] : `${head[1] ?? ''}.${head[2]}`
      continue
    }
    const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=.*[^\\]|=)?$/.exec(line)?.[1]
    names.push(section === undefined || key === undefined ? undefined : `${section}.${key}`.toLowerCase())
  }
  return names
}

interface Index {
  /** The index lists a nested repository, which git would open with that repository's own settings. */
  repositories: boolean
  /** Tracked secret files, or undefined if the index cannot be read. */
  secrets: readonly string[] | undefined
}
const indexCache = new Map<string, { mark: string; index: Index }>()

function readIndex(git: string): Index {
  const file = path.join(git, 'index')
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return { repositories: false, secrets: [] }
  const mark = `${stats.mtimeMs}-${stats.ctimeMs}-${stats.size}-${stats.ino}`
  const before = indexCache.get(file)
  if (before?.mark === mark) return before.index
  if (stats.size > 16 << 20) return { repositories: true, secrets: undefined }
  const bytes = readFileSync(file)
  // Gitlink entries have mode 0160000. An accidental byte match only causes an extra approval prompt.
  const index = { repositories: bytes.includes(Buffer.from([0, 0, 0xe0, 0])), secrets: secretsIn(bytes) }
  if (indexCache.size > 100) indexCache.clear()
  indexCache.set(file, { mark, index })
  return index
}

function secretsIn(bytes: Buffer): string[] | undefined {
  const version = bytes.readUInt32BE(4)
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return undefined
  const secrets: string[] = []
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(at + 60)
    const start = at + 62 + ((flags & 0x4000) === 0 ? 0 : 2)
    const end = bytes.indexOf(0, start)
    const length = flags & 0xfff
    // Unexpected layout: another format, such as SHA-256.
    if (end === -1 || (length < 0xfff && end - start !== length)) return undefined
    const name = bytes.toString('utf8', start, end)
    if (secretIn(name) !== undefined) secrets.push(name)
    at += (end - at + 8) & ~7
  }
  return secrets
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
