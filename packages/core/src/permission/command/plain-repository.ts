import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Whether git, started in a folder, runs nothing that came with the folder. A repository's own settings can name
 * programs (`core.fsmonitor`, filters, `diff.external`), so every setting must be on a list; there must be no hook that
 * looking can set off, no repository within it, and none that the folder itself pretends to be. The person's own settings
 * are trusted. Where there is no repository at all, git has nothing to run.
 */
export function isPlainRepository(folder: string): boolean {
  try {
    const top = topOf(folder)
    return top === null || (top !== undefined && isPlain(path.join(top, '.git'), top))
  } catch {
    return false
  }
}

/** The folder with `.git`, going up; null where there is none; undefined where another kind of repository is met first. */
function topOf(folder: string): string | null | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const git = statSync(path.join(at, '.git'), { throwIfNoEntry: false })
    // A file instead of a folder leads elsewhere: worktrees, modules.
    if (git !== undefined) return git.isDirectory() ? at : undefined
    // A folder that looks like the inside of a repository is taken for one.
    if (exists(path.join(at, 'HEAD')) && exists(path.join(at, 'objects'))) return undefined
    if (at === path.dirname(at)) return null
  }
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
const whole = new RegExp(`^(?:${plainSetting.source})$`)

function isPlain(git: string, top: string): boolean {
  const config = readFileSync(path.join(git, 'config'), 'utf8')
  if (config.length > 100_000 || !settingsOf(config).every((name) => name !== undefined && whole.test(name)))
    return false
  const names = readdirSync(git)
  if (names.some((name) => /^(config\.worktree|modules|commondir|gitdir|sharedindex\..*)$/.test(name))) return false
  if (exists(path.join(git, 'hooks', 'post-index-change'))) return false
  if (exists(path.join(git, 'objects', 'info', 'alternates'))) return false
  return !exists(path.join(top, '.gitmodules')) && !holdsRepositories(git)
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

const kept = new Map<string, { mark: string; holds: boolean }>()

/**
 * Whether the index lists a repository within this one: git would look into that by its own settings. Such an entry has
 * the mode 0160000; a chance match of the bytes elsewhere only makes us ask.
 */
function holdsRepositories(git: string): boolean {
  const file = path.join(git, 'index')
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const mark = `${stats.mtimeMs}-${stats.size}-${stats.ino}`
  const before = kept.get(file)
  if (before?.mark === mark) return before.holds
  if (stats.size > 64 << 20) return true
  const holds = readFileSync(file).includes(Buffer.from([0, 0, 0xe0, 0]))
  if (kept.size > 100) kept.clear()
  kept.set(file, { mark, holds })
  return holds
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
