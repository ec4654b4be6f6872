import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { TrackedFiles } from './command-analysis.ts'
import { secretIn } from './sensitive-paths.ts'

/**
 * Whether git, started in a folder, runs nothing that came with the folder. A repository's own settings can name
 * programs (`core.fsmonitor`, filters, `diff.external`), so every setting must be on a list; there must be no hook that
 * looking can set off, no repository within it, and none that the folder itself pretends to be. The person's own settings
 * are trusted. Where there is no repository at all, git has nothing to run.
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
 * What git tracks around a folder; null where there is no repository; undefined where it cannot be told. Secrets that
 * were tracked once and are no longer are not among them.
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

/** The folder with `.git`, going up; null where there is none; undefined where another kind of repository is met first. */
function repositoryRoot(folder: string): string | null | undefined {
  // Nobody gets to a folder that is not there. Git goes up from where links lead.
  if (!exists(folder)) return null
  for (let at = realpathSync(folder); ; at = path.dirname(at)) {
    const git = statSync(path.join(at, '.git'), { throwIfNoEntry: false })
    // A file instead of a folder leads elsewhere: worktrees, modules.
    if (git !== undefined) return git.isDirectory() && isRepository(path.join(at, '.git')) ? at : undefined
    // A folder that looks like the inside of a repository is taken for one.
    if (exists(path.join(at, 'HEAD')) && exists(path.join(at, 'objects'))) return undefined
    if (at === path.dirname(at)) return null
  }
}

/** Git goes on upwards from a folder that only looks like one. */
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

/** `section.key` or `section.name.key` of each line, in small letters; undefined for a line that is not understood. */
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
  /** It lists a repository within this one: git would look into that by its own settings. */
  repositories: boolean
  /** Tracked files that are secret; undefined when it cannot be read. */
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
  // Such an entry has the mode 0160000; a chance match of the bytes elsewhere only makes us ask.
  const index = { repositories: bytes.includes(Buffer.from([0, 0, 0xe0, 0])), secrets: secretsIn(bytes) }
  if (indexCache.size > 100) indexCache.clear()
  indexCache.set(file, { mark, index })
  return index
}

/** Reads the names of an index of version 2 or 3 with SHA-1. */
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
    // What is not where it should be has another format, such as that of SHA-256.
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
