import { lstatSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { secretIn } from '@troupe/command-policy'
import { isInside, resolvePath } from '@troupe/core'
import { NamedError } from '@troupe/protocol'

/** The folder of a request. All paths of the file routes are relative to it. */
export interface FileRoot {
  /** Real path. */
  path: string
  workspaceId: string
  /** Real path of the Troupe home, which stays private even inside the folder. */
  home: string
}

export interface WorkspacePath {
  /** Real path, links resolved. For an entry, only the folders above it are. */
  path: string
  /** As in the request, normalized. */
  relative: string
  stats: Stats | undefined
}

export function fileRoot(workspace: { id: string; path: string }, home: string): FileRoot {
  try {
    return { path: realpathSync.native(workspace.path), workspaceId: workspace.id, home: realpathSync.native(home) }
  } catch (error) {
    throw new NamedError('FolderGone', 'The folder of this chat no longer exists or cannot be opened.', {
      status: 404,
      cause: error,
    })
  }
}

/** Resolves a path for reading or writing what it leads to. Follows links, but never out of the folder. */
export function resolveTarget(root: FileRoot, given: string, use: 'read' | 'write'): WorkspacePath {
  const relative = checkRelative(given)
  const state = { cwd: root.path, roots: [root.path], readable: [] }
  let found: ReturnType<typeof resolvePath>
  try {
    found = resolvePath({ state }, path.join(root.path, relative), { for: use })
  } catch (error) {
    throw refusal(error)
  }
  refusePrivate(root, found.path)
  return { path: found.path, relative, stats: found.stats }
}

/** Resolves an entry of a folder itself, also a link, for renaming or deleting it. */
export function resolveEntry(root: FileRoot, given: string): WorkspacePath {
  const relative = checkRelative(given)
  if (relative === '') throw new NamedError('OutsideWorkspace', 'The folder itself cannot be changed.', { status: 403 })
  const folder = resolveTarget(root, path.posix.dirname(relative) === '.' ? '' : path.posix.dirname(relative), 'write')
  const real = path.join(folder.path, path.posix.basename(relative))
  refusePrivate(root, real)
  return { path: real, relative, stats: lstatSync(real, { throwIfNoEntry: false }) }
}

export function notFound(given: string): NamedError {
  return new NamedError('FileNotFound', 'This file or folder does not exist.', {
    status: 404,
    data: { path: given.slice(0, 4096) },
  })
}

export function fileExists(given: string): NamedError {
  return new NamedError('FileExists', 'A file or folder with this name already exists.', {
    status: 409,
    data: { path: given },
  })
}

/** Throws `BadFileName` without a name. Any character is allowed, as the file system allows it. */
export function checkNewName(relative: string): void {
  const name = path.posix.basename(relative)
  if (name === '' || name === '.' || name === '..')
    throw new NamedError('BadFileName', 'Give the file or folder a name.')
}

/** Normalizes to `a/b`. Refuses absolute paths and those that climb out, so that no spelling needs a second look. */
function checkRelative(given: string): string {
  const parts = given.split('/').filter((part) => part !== '' && part !== '.')
  if (given.startsWith('/') || given.includes('\0') || parts.includes('..'))
    throw new NamedError('OutsideWorkspace', 'Give a path inside the folder.', { status: 403 })
  if (parts.some((part) => Buffer.byteLength(part) > 255))
    throw new NamedError('BadFileName', 'The name is too long. The limit is 255 bytes.')
  return parts.join('/')
}

/** The original message is for models and would reveal paths outside the folder. */
function refusal(error: unknown): NamedError {
  const message = error instanceof Error ? error.message : ''
  const text = refusals.find(([pattern]) => pattern.test(message))?.[1]
  return new NamedError(
    'OutsideWorkspace',
    text ?? 'This leads out of the folder, so it cannot be opened or changed.',
    {
      status: 403,
      cause: error,
    },
  )
}

const refusals: readonly [RegExp, string][] = [
  [/Only files and folders can be read/, 'This is a pipe, a socket or a device, so it cannot be opened.'],
  [/form a loop|too many links/, 'These links form a loop, so they lead nowhere.'],
  [/is a file, not a folder/, 'A part of this path is a file, not a folder.'],
  [/permission denied/, 'The system does not allow access to this file or folder.'],
  [/too long/, 'The path is too long.'],
]

function refusePrivate(root: FileRoot, real: string): void {
  if (!isPrivateToHome(real, root.home, [root.path])) return
  throw new NamedError('OutsideWorkspace', 'Troupe keeps its own data here, so it is not shown or changed.', {
    status: 403,
  })
}

/**
 * True if a real path is in the Troupe home, outside the folders open to a session. The home contains the token, keys
 * and other sessions, so no page may show it, even if it is inside the workspace.
 */
export function isPrivateToHome(real: string, home: string, open: readonly string[]): boolean {
  if (!isInside(real, home)) return false
  return !open.some((folder) => folder !== home && isInside(folder, home) && isInside(real, folder))
}

/** True if a file may contain keys or passwords, judged by its path in the folder. */
export function isSecret(real: string, roots: readonly string[]): boolean {
  const inside = roots.map((root) => path.relative(root, real)).find((relative) => !relative.startsWith('..'))
  return secretIn(inside ?? path.basename(real)) !== undefined
}
