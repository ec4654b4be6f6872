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
    const found = findRepository(folder)
    return found === null || (found !== undefined && isPlain(found))
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
    const found = findRepository(folder)
    if (found === null || found === undefined) return found
    const { secrets, names } = readIndex(found.git)
    return secrets === undefined ? undefined : { top: found.top, secrets, names }
  } catch {
    return undefined
  }
}

interface Repository {
  /** The folder with `.git`. */
  top: string
  /** Holds the index and HEAD of this worktree. */
  git: string
  /** Holds everything else. The same folder, except in a linked worktree. */
  common: string
}

/**
 * Finds the repository of a folder. Returns null if there is none, undefined if another kind of repository comes first.
 */
function findRepository(folder: string): Repository | null | undefined {
  // Nothing can run in a missing folder. Git resolves links before it goes up.
  if (!exists(folder)) return null
  for (let at = realpathSync(folder); ; at = path.dirname(at)) {
    const entry = path.join(at, '.git')
    const stats = statSync(entry, { throwIfNoEntry: false })
    if (stats?.isDirectory() === true) return isRepository(entry) ? { top: at, git: entry, common: entry } : undefined
    if (stats !== undefined) return linkedWorktree(at, entry)
    // Git treats a folder that looks like a bare repository as one.
    if (exists(path.join(at, 'HEAD')) && exists(path.join(at, 'objects'))) return undefined
    if (at === path.dirname(at)) return null
  }
}

/** The `.git` file of a linked worktree names a folder in its repository. Those of submodules are not followed. */
function linkedWorktree(top: string, entry: string): Repository | undefined {
  const target = /^gitdir: ([^\n]+)\n?$/.exec(readFileSync(entry, 'utf8'))?.[1]
  if (target === undefined) return undefined
  const git = realpathSync(path.resolve(top, target))
  const common = realpathSync(path.resolve(git, readFileSync(path.join(git, 'commondir'), 'utf8').trimEnd()))
  const isLinked = path.dirname(git) === path.join(common, 'worktrees') && isHead(path.join(git, 'HEAD'))
  return isLinked && isRepository(common) ? { top, git, common } : undefined
}

/** Git skips an invalid `.git` folder and continues upward. */
function isRepository(git: string): boolean {
  const isFolder = (name: string): boolean => statSync(path.join(git, name)).isDirectory()
  return isHead(path.join(git, 'HEAD')) && isFolder('objects') && isFolder('refs')
}

function isHead(file: string): boolean {
  return /^(ref: refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/.test(readFileSync(file, 'utf8'))
}

const plainSetting = new RegExp(
  [
    String.raw`core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|abbrev|quotepath|untrackedcache|preloadindex|compression|protectntfs|protecthfs|hookspath|sparsecheckout|sparsecheckoutcone|commitgraph|multipackindex|trustctime|checkstat)`,
    String.raw`remote\..*\.(url|pushurl|fetch|push|prune|tagopt|gh-resolved|skipfetchall)`,
    String.raw`branch\..*\.(remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)`,
    String.raw`(user|author|committer)\.(name|email|useconfigonly|signingkey)`,
    // Used only on the network, which no command that only reads reaches without a partial clone.
    String.raw`(credential|http)\..*`,
    String.raw`(gpg\.format|rerere\.(enabled|autoupdate)|index\.(version|threads|sparse)|(feature|maintenance|pack)\..*|branch\.(autosetuprebase|autosetupmerge|sort)|pull\.(rebase|ff)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel|writecommitgraph)|merge\.(ff|conflictstyle|renamelimit|renames|log|stat|tool)|rebase\.(autostash|autosquash|updaterefs)|init\.defaultbranch|color\.\w+|column\.\w+|gc\..*|gui\..*|advice\..*|lfs\.repositoryformatversion|status\.(short|branch|showuntrackedfiles)|log\.(date|decorate|follow)|diff\.(renames|renamelimit|algorithm|colormoved|mnemonicprefix|noprefix|context|tool)|extensions\.objectformat|commit\.(gpgsign|verbose)|tag\.(gpgsign|sort))`,
  ].join('|'),
)
const plainSettingLine = new RegExp(`^(?:${plainSetting.source})$`)

function isPlain({ top, git, common }: Repository): boolean {
  const config = readFileSync(path.join(common, 'config'), 'utf8')
  const settings = config.length > 100_000 ? undefined : settingsOf(config)
  if (settings?.every(({ name }) => plainSettingLine.test(name)) !== true) return false
  const others = new RegExp(
    `^(config\\.worktree|modules|sharedindex\\..*${git === common ? '|commondir|gitdir' : ''})$`,
  )
  if ([git, common].some((folder) => readdirSync(folder).some((name) => others.test(name)))) return false
  if (exists(path.join(common, 'objects', 'info', 'alternates'))) return false
  const hooks = settings.filter(({ name }) => name === 'core.hookspath').map(({ value }) => value)
  // Git expands these.
  if (hooks.some((folder) => /^[~%]|["\\#;]/.test(folder))) return false
  const folders = [path.join(common, 'hooks'), ...hooks.map((folder) => path.resolve(top, folder))]
  // The only hook that reading can run, after git refreshed its index.
  if (folders.some((folder) => exists(path.join(folder, 'post-index-change')))) return false
  return !exists(path.join(top, '.gitmodules')) && !readIndex(git).repositories
}

/** Returns the settings with lowercased names (`section.key`, `section.name.key`), undefined if a line is unclear. */
function settingsOf(config: string): { name: string; value: string }[] | undefined {
  let section: string | undefined
  const settings: { name: string; value: string }[] = []
  for (const line of config.split('\n').map((one) => one.trim())) {
    if (line === '' || /^[#;]/.test(line)) continue
    const head = /^\[([A-Za-z0-9.-]+)(?:\s+"([^"\\]*)")?\]$/.exec(line)
    if (head !== null) {
      section = head[2] === undefined ? head[1] : `${head[1] ?? ''}.${head[2]}`
      continue
    }
    const [, key, value = ''] = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*[^\\])|=)?$/.exec(line) ?? []
    if (section === undefined || key === undefined) return undefined
    settings.push({ name: `${section}.${key}`.toLowerCase(), value })
  }
  return settings
}

interface Index {
  /** The index lists a nested repository, which git would open with that repository's own settings. */
  repositories: boolean
  /** Tracked secret files, or undefined if the index cannot be read. */
  secrets: readonly string[] | undefined
  /** All names, if they are few and plain. */
  names: readonly string[] | undefined
}
const mostNames = 3000
const indexCache = new Map<string, { mark: string; index: Index }>()

function readIndex(git: string): Index {
  const file = path.join(git, 'index')
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return { repositories: false, secrets: [], names: [] }
  const mark = `${stats.mtimeMs}-${stats.ctimeMs}-${stats.size}-${stats.ino}`
  const before = indexCache.get(file)
  if (before?.mark === mark) return before.index
  if (stats.size > 16 << 20) return { repositories: true, secrets: undefined, names: undefined }
  const bytes = readFileSync(file)
  // Gitlink entries have mode 0160000. An accidental byte match only causes an extra approval prompt.
  const index = { repositories: bytes.includes(Buffer.from([0, 0, 0xe0, 0])), ...entriesIn(bytes) }
  if (indexCache.size > 100) indexCache.clear()
  indexCache.set(file, { mark, index })
  return index
}

function entriesIn(bytes: Buffer): Pick<Index, 'secrets' | 'names'> {
  const version = bytes.readUInt32BE(4)
  const unknown = { secrets: undefined, names: undefined }
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return unknown
  const secrets: string[] = []
  const names: string[] = []
  let plain = true
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const mode = bytes.readUInt32BE(at + 24)
    const flags = bytes.readUInt16BE(at + 60)
    const start = at + 62 + ((flags & 0x4000) === 0 ? 0 : 2)
    const end = bytes.indexOf(0, start)
    const length = flags & 0xfff
    // Unexpected layout: another format, such as SHA-256.
    if (end === -1 || (length < 0xfff && end - start !== length)) return unknown
    const name = bytes.toString('utf8', start, end)
    if (secretIn(name) !== undefined) secrets.push(name)
    if (names.length <= mostNames) names.push(name)
    plain &&= (mode & 0o170000) === 0o100000 && /^[A-Za-z0-9_.@+=,][A-Za-z0-9_./@+=,()[\]{}~!#$%&:;-]*$/.test(name)
    at += (end - at + 8) & ~7
  }
  return { secrets, names: plain && names.length <= mostNames ? names : undefined }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
