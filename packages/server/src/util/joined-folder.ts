import { createHash } from 'node:crypto'

/** A folder on a member's own computer. */
export interface JoinedFolder {
  /** Owner of the computer. */
  person: string
  /** Name of the computer. */
  node: string
  /** Path there. */
  folder: string
}

/**
 * No process can create anything there. So whatever forgets that the folder is elsewhere finds nothing here, instead
 * of files of this machine.
 */
const prefix = '/proc/joined/'
const idPrefix = 'w_joined-'

/** The path of its workspace. */
export function joinedPath({ person, node, folder }: JoinedFolder): string {
  return `${prefix}${person}/${node}${folder.startsWith('/') ? '' : '/'}${folder}`
}

/** The id of its workspace: the same whenever the folder joins. */
export function joinedId(at: JoinedFolder): string {
  return idPrefix + createHash('sha256').update(joinedPath(at)).digest('base64url').slice(0, 32)
}

/** Undefined for a folder of this machine. */
export function readJoinedPath(path: string): JoinedFolder | undefined {
  if (!isJoinedPath(path)) return undefined
  const [, person = '', node = '', rest = ''] = /^([^/]+)\/([^/]+)(\/.*)$/s.exec(path.slice(prefix.length)) ?? []
  return { person, node, folder: /^\/[A-Za-z]:[\\/]/.test(rest) ? rest.slice(1) : rest }
}

/** True for the path of a workspace on a member's computer. */
export function isJoinedPath(path: string): boolean {
  return path.startsWith(prefix)
}

/** Takes the id of a workspace, also with a project. */
export function isJoinedId(workspaceId: string): boolean {
  return workspaceId.startsWith(idPrefix)
}
