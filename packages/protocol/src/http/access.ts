/** Rights on a chat, weakest first. Each includes those before it. */
export const sessionRights = ['read', 'comment', 'write', 'approve', 'manage'] as const
export type SessionRight = (typeof sessionRights)[number]

/** Rights on a workspace, weakest first. */
export const workspaceRights = ['read', 'write', 'manage'] as const
export type WorkspaceRight = (typeof workspaceRights)[number]

/**
 * Rights that an endpoint requires in team mode. The single user of a local server may do everything.
 *
 * - `open`: none. The caller need not be signed in.
 * - `self`: a signed-in caller. `write` excludes viewers. `manage` also excludes tokens, so a leaked token cannot create
 *   others.
 * - `session`: a right on the chat that the path, the query or the body names. `workspace` adds a right on its folder.
 *   `link` also admits readers with a share link. `fields` raises the right if the body has such a field.
 * - `workspace`: a right on the workspace of the request.
 * - `organization`: `read` for every member, `manage` for owners and admins.
 * - `blob`, `task`: the caller made it, or can read a chat that contains it.
 * - `rules`: depends on the scope of the rule: its chat, its workspace or the organization.
 */
export type EndpointAccess =
  | { on: 'open' }
  | { on: 'self'; right: 'read' | 'write' | 'manage' }
  | {
      on: 'session'
      right: SessionRight
      /** The object that leads to the chat. Default: its id, as `sessionId` or in `/ai/sessions/:id`. */
      by?: 'ask' | 'revert'
      /** A chat that does not exist is created. That needs the right to write in the workspace. */
      creates?: true
      workspace?: WorkspaceRight
      link?: true
      fields?: Readonly<Record<string, SessionRight>>
    }
  | { on: 'workspace'; right: WorkspaceRight }
  | { on: 'organization'; right: 'read' | 'manage' }
  | { on: 'blob'; right: 'read' | 'manage'; link?: true }
  | { on: 'task'; right: 'read' }
  | { on: 'rules'; right: 'write' }
