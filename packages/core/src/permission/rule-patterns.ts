import path from 'node:path'
import type { Effect } from '../access/decision.ts'
import { isInside } from '../files/resolve-path.ts'
import { compileGlob, type GlobPattern } from '../search/glob-pattern.ts'

export interface PathPattern {
  /** Takes an absolute path without `.` or `..`. */
  matches(path: string, folders: KnownFolders): boolean
  /** True if it could match anything in or below the folder, whatever exists there. */
  reaches(folder: string, folders: KnownFolders): boolean
  /** Paths at or above everything it matches. */
  starts(folders: KnownFolders): string[]
  /** True if a segment names it specifically. `*` does not name `.env`. */
  names(name: string): boolean
}

interface KnownFolders {
  roots: readonly string[]
  home: string
}

interface PathPatternPlace {
  /** Folder that `/` refers to. */
  base: string
  /** An allow rule matches only what it says. Other rules also match everything below a match, anywhere. */
  effect: Effect
}

/**
 * Compiles a path rule. Syntax as in ignore files: `//x` from the file system root, `~/x` from the person's home, `/x`
 * from the rule's base, `a/b` and `./x` from the workspace, a bare name at any depth. A folder includes its contents.
 */
export function compilePathPattern(pattern: string, place: PathPatternPlace): PathPattern {
  const { anchor, glob } = splitAnchor(pattern)
  const isWide = place.effect !== 'allow'
  // On case-insensitive file systems, deny rules must ignore case.
  const fold = isWide && (process.platform === 'darwin' || process.platform === 'win32') ? lowerCase : unchanged
  const compiled = compileGlob(fold(withContent(glob, isWide)))
  const needed = fold(neededText(glob))
  // A deny rule for `/etc/passwd` also means that file, even though `/` refers to the base.
  const base = [path.resolve(place.base), ...(isWide ? machineRoot : [])]
  const home: string[] = []
  const anchors = (folders: KnownFolders): readonly string[] => {
    if (anchor === 'machine' || (anchor === 'anywhere' && isWide)) return machineRoot
    if (anchor === 'base') return base
    if (anchor !== 'home') return folders.roots
    home[0] = folders.home
    return home
  }
  let named: GlobPattern[] | undefined
  const fixed = fixedStart(glob)
  const starts = (folders: KnownFolders): string[] => anchors(folders).map((folder) => path.join(folder, fixed))
  return {
    starts,
    reaches: (folder, folders) => starts(folders).some((start) => isInside(start, folder) || isInside(folder, start)),
    matches(given, folders) {
      const folded = fold(given)
      // Fast path: rules out nearly all paths.
      if (!folded.includes(needed)) return false
      for (const folder of anchors(folders)) {
        if (!isInside(given, folder)) continue
        if (compiled.matches(folded.slice(folder === '/' ? 1 : folder.length + 1))) return true
      }
      return false
    },
    names(name) {
      named ??= pattern
        .toLowerCase()
        .split('/')
        .filter((part) => /[\p{L}\p{N}]/u.test(part))
        .map(compileGlob)
      return named.some((part) => part.matches(name.toLowerCase()))
    },
  }
}

/** Throws an Error for the person. */
export function checkPathPattern(pattern: string): void {
  if (pattern.startsWith('!')) throw new Error('a path cannot be excluded with "!". Write a deny rule for it.')
  if (pattern.split('/').includes('..'))
    throw new Error('".." is not supported in a rule. Write the full path, starting with "//" or "~/".')
  if (/^~[^/]/.test(pattern)) throw new Error('only "~/" is supported, not the home of another user.')
  compileGlob(pattern)
}

/** Escapes a path as a pattern that matches exactly that path. */
export function quotePath(path: string): string {
  return path.replace(/[*?[\]{}\\]/g, String.raw`\$&`)
}

const machineRoot = ['/']

type Anchor = 'machine' | 'home' | 'base' | 'workspace' | 'anywhere'

function splitAnchor(pattern: string): { anchor: Anchor; glob: string } {
  if (pattern.startsWith('//')) return { anchor: 'machine', glob: rooted(pattern.slice(2)) }
  if (pattern === '~' || pattern.startsWith('~/')) return { anchor: 'home', glob: rooted(pattern.slice(2)) }
  if (pattern.startsWith('/')) return { anchor: 'base', glob: rooted(pattern.slice(1)) }
  if (pattern.startsWith('./')) return { anchor: 'workspace', glob: rooted(pattern.slice(2)) }
  if (pattern.startsWith('**/')) return { anchor: 'anywhere', glob: `/${pattern}` }
  if (/\/./.test(pattern)) return { anchor: 'workspace', glob: rooted(pattern) }
  return { anchor: 'anywhere', glob: `/**/${pattern}` }
}

function rooted(glob: string): string {
  const rest = glob.replace(/^(\.?\/)+/, '')
  return rest === '' || rest === '.' ? '/**' : `/${rest}`
}

/** A folder includes its contents. A `*` in an allow rule does not cross folders. */
function withContent(glob: string, isWide: boolean): string {
  if (glob.endsWith('/**')) return glob
  if (glob.endsWith('/')) return `${glob}**`
  const last = glob.slice(glob.lastIndexOf('/') + 1)
  return isWide || !/[*?[{]/.test(last) ? `${glob}/**` : glob
}

/** Returns the leading segments up to the first wildcard. */
function fixedStart(glob: string): string {
  const parts = glob.split('/')
  const wild = parts.findIndex((part) => /[*?[\]{}\\]/.test(part))
  return (wild === -1 ? parts : parts.slice(0, wild)).join('/')
}

/** Longest literal text in every path that the glob matches. */
function neededText(glob: string): string {
  if (/[[\]{}\\]/.test(glob)) return ''
  const texts = glob.split(/[*?]+/).map((text) => text.replace(/^\/|\/$/g, ''))
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

function lowerCase(text: string): string {
  return text.toLowerCase()
}

function unchanged(text: string): string {
  return text
}

/** Host from a rule, normalized like in URLs. */
export interface HostPattern {
  host: string
}

/** Parses `domain:example.com`. Throws an Error for the person. */
export function parseHostPattern(pattern: string): HostPattern {
  const named = /^domain:\s*(.*)$/is.exec(pattern)?.[1]
  if (named === undefined) throw new Error('write "domain:" and a host, such as "WebFetch(domain:example.com)".')
  const bare = named.replace(/^\*\./, '')
  if (bare.includes('*')) throw new Error('a "*" is only allowed before the whole host. Subdomains match anyway.')
  if (/[/@\s:?#\\]/.test(bare.replace(/^\[[0-9a-f:.]+\]$/i, '')))
    throw new Error(`"${named}" is not a host. Remove the scheme, port, path and user, as in "domain:example.com".`)
  const host = hostOf(`http://${bare}/`)
  if (host === undefined) throw new Error(`"${named}" is not a host, such as "example.com".`)
  if (!host.includes('.') && !host.startsWith('[') && host !== 'localhost')
    throw new Error(
      `"${named}" is not a complete host: it would match every host that ends in it. Write one such as "example.com".`,
    )
  return { host }
}

/** Matches the host and its subdomains, never hosts that merely share a prefix or suffix. */
export function matchHost({ host }: HostPattern, given: string): boolean {
  if (given === host) return true
  return given.endsWith(`.${host}`) && !/^[\d.]+$|^\[/.test(host)
}

/**
 * Host of a URL as the network sees it: lowercase, ASCII for international names, no port, user, or trailing dot.
 * Undefined unless the URL is http or https without a user.
 */
export function hostOf(url: string): string | undefined {
  const parsed = URL.parse(url.trim())
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return undefined
  if (parsed.username !== '' || parsed.password !== '') return undefined
  const host = parsed.hostname.replace(/\.+$/, '')
  return host === '' ? undefined : host
}
