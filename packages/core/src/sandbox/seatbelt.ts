import type { Grant } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import type { Confined, ConfinedStart, Sandbox } from '../tool/isolation.ts'
import { homeSecrets, protectedNames, tokenFile } from './protected-paths.ts'

export interface SeatbeltOptions {
  program: string
  home: string
  troupeHome?: string | undefined
  toolFolders: readonly string[]
}

/** Minimum for any program to start: read access to system files and to itself, and a few name services. */
const base = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow user-preference-read)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.trustd.agent"))
(allow file-read-metadata)
(allow file-read*
  (literal "/")
  (subpath "/bin") (subpath "/sbin") (subpath "/usr") (subpath "/opt") (subpath "/nix")
  (subpath "/System") (subpath "/Library/Apple") (subpath "/Library/Developer") (subpath "/Library/Java")
  (subpath "/Applications/Xcode.app") (subpath "/private/var/db/timezone") (subpath "/private/var/db/dyld")
  (subpath "/private/etc/ssl") (literal "/private/etc/passwd") (literal "/private/etc/group")
  (literal "/private/etc/hosts") (literal "/private/etc/localtime") (literal "/private/etc/shells")
  (literal "/private/etc/services") (literal "/private/etc/protocols")
  (subpath "/dev"))
(allow file-write-data file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx")
  (literal "/dev/dtracehelper") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (regex #"^/dev/fd/"))`

/**
 * Runs commands under macOS kernel rules that also bind their child processes. The last matching rule wins. Paths are
 * passed as parameters, so no file name can change the rules. Missing paths are protected like existing ones.
 */
export function createSeatbelt(options: SeatbeltOptions): Sandbox {
  return {
    name: 'Seatbelt',
    async wrap(start) {
      const { profile, places } = seatbeltProfile(options, start)
      const given = places.flatMap((place, i) => ['-D', `P${i}=${place}`])
      return {
        file: options.program,
        args: [...given, '-p', profile, ...start.argv],
        env: {
          ...start.env,
          ...(start.temporary !== undefined && { TMPDIR: start.temporary }),
          ...(start.gitConfig !== undefined && { GIT_CONFIG_GLOBAL: start.gitConfig }),
        },
        cwd: start.cwd,
        holdsOutput: false,
        release: () => undefined,
      } satisfies Confined
    },
  }
}

/** Returns the rules and the paths they reference as `P0`, `P1` and so on. */
export function seatbeltProfile(
  { home, troupeHome, toolFolders }: Omit<SeatbeltOptions, 'program'>,
  { confinement, roots, readable = [], grants = [], fixed = [], secrets = [], temporary, gitConfig }: ConfinedStart,
): { profile: string; places: string[] } {
  const places: string[] = []
  const of = (...hows: Grant['how'][]): string[] =>
    grants.filter(({ how }) => hows.includes(how)).map(({ path }) => path)
  const read = of('read', 'write')
  const changed = of('write')
  const kept = roots.flatMap((root) => protectedNames(root, home).map((name) => `${root}/${name}`))
  const hidden = [...(troupeHome === undefined ? [] : [troupeHome]), ...homeSecrets(home)]
  const lines = [
    base,
    rule('allow file-read*', toolFolders),
    rule('allow file-read*', [...roots, ...read]),
    listing(of('list')),
    rule('deny file-read* file-write*', hidden),
    rule('allow file-read*', [...readable, ...(gitConfig === undefined ? [] : [gitConfig])]),
    confinement === 'workspace' ? rule('allow file-write*', [...roots, ...changed]) : '',
    rule('allow file-read* file-write*', temporary === undefined ? [] : [temporary]),
    confinement === 'workspace' ? rule('deny file-write*', [...kept, ...fixed]) : '',
    rule('deny file-read* file-write*', secrets),
    // Paths granted by name are visible, even inside hidden folders.
    rule('allow file-read*', read.filter(isNamed)),
    confinement === 'workspace' ? rule('allow file-write*', changed.filter(isNamed)) : '',
    // The token opens the person's own terminals, so no grant covers it.
    rule('deny file-read* file-write*', troupeHome === undefined ? [] : [tokenFile(troupeHome)]),
    '(deny network*)',
  ]
  return { profile: lines.filter(Boolean).join('\n'), places }

  /** True if the path is a hidden path or inside one. A folder that only contains hidden paths does not count. */
  function isNamed(place: string): boolean {
    return [...hidden, ...secrets, ...kept].some((one) => isInside(place, one))
  }

  /** Names, sizes and times are visible everywhere. Listing a folder requires reading the folder itself. */
  function listing(folders: readonly string[]): string {
    const filters = folders.map(
      (folder) => `(require-all (subpath (param "P${places.push(folder) - 1}")) (vnode-type DIRECTORY))`,
    )
    return filters.length === 0 ? '' : `(allow file-read*\n  ${filters.join('\n  ')})`
  }

  function rule(what: string, about: readonly string[]): string {
    if (about.length === 0) return ''
    const filters = about.map((place) => `(subpath (param "P${places.push(place) - 1}"))`)
    return `(${what}\n  ${filters.join('\n  ')})`
  }
}
