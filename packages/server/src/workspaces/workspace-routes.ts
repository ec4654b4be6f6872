import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { RecentWorkspace, Store, Viewer, Workspace } from '@troupe/core'
import { NamedError, type RecentFolder, workspaceEndpoints } from '@troupe/protocol'
import type { Access } from '../http/access.ts'
import { type Principal, type Rights, viewerOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findWorkspace, type OpenWorkspace } from '../http/scope.ts'
import type { Inbox } from '../runs/inbox.ts'
import type { RunManager } from '../runs/run-types.ts'
import { type JoinedFolder, readJoinedPath } from '../util/joined-folder.ts'
import { completePath } from './complete-path.ts'
import type { FolderLanes, FolderStates } from './folder-states.ts'
import type { Workspaces } from './open-workspaces.ts'

/** A folder that takes longer is listed as slow, and its state is known at the next request. */
const listWaitMs = 300

export function workspaceRoutes(options: {
  store: Store
  access: Pick<Access, 'isProgram'>
  openWorkspace: OpenWorkspace
  workspaces: Workspaces
  folderStates: FolderStates
  lanes: FolderLanes
  runs: Pick<RunManager, 'live'>
  inbox: Pick<Inbox, 'list'>
  personHome: string
  worktrees: { count(workspaceId: string): number; below(parentId: string): string[] }
  joined?: { nodes: { isConnected(at: JoinedFolder): boolean } } | undefined
}): Route[] {
  const { store, access, openWorkspace, workspaces, folderStates: states } = options
  return implement(workspaceEndpoints, {
    'GET /ai/workspace': async ({ rights, query, workspaceId }, c) => {
      if (query.path === undefined) return { workspace: shown(await findWorkspace(store, workspaceId)) }
      const workspace = await openWorkspace(c, query.path)
      if ((await rights.workspace(workspace.id)) === undefined)
        throw new NamedError('BadWorkspace', 'This folder is not open here.')
      return { workspace: shown(workspace) }
    },
    'PATCH /ai/workspace': async ({ body, workspaceId }) => {
      await store.workspaces.trust(workspaceId, body.trusted)
      const workspace = await findWorkspace(store, workspaceId)
      workspaces.load(workspace)
      // They have the same files.
      for (const id of options.worktrees.below(workspaceId)) {
        await store.workspaces.trust(id, body.trusted)
        workspaces.load(await findWorkspace(store, id))
      }
      return { workspace: shown(workspace) }
    },
    'GET /ai/workspaces': async ({ principal, rights, query: { chats = 0, session } }) => {
      const viewer = viewerOf(principal)
      const all = await store.workspaces.recent(undefined, viewer)
      const seen = await Promise.all(all.map(async ({ id }) => (await rights.workspace(id)) !== undefined))
      const recent = all.filter((_, index) => seen[index])
      const active = await countActive(rights)
      return {
        workspaces: await Promise.all(recent.map((one) => listed(one, active, chats, viewer))),
        roots: mayOpen(principal) ? await workspaces.roots() : [],
        sessionWorkspaceId: await folderOf(session, recent),
      }
    },
    'POST /ai/workspaces': async ({ body }, c) => {
      const folder = path.isAbsolute(body.path) ? path.resolve(body.path) : body.path
      const isProgram = access.isProgram(c)
      if (body.create === true) await makeFolder(folder, isProgram)
      if (!isProgram) return { workspace: shown(await workspaces.openInRoots(folder)) }
      const workspace = await workspaces.open(folder)
      workspaces.addRoot(workspace.path)
      await store.workspaces.setListed(workspace.id, true)
      return { workspace: shown(workspace) }
    },
    'DELETE /ai/workspaces/:id': async ({ params: { id } }) => {
      if (id === workspaces.own.id)
        throw new NamedError('OwnWorkspace', 'Troupe was started in this folder, so it stays in the list.', {
          status: 409,
        })
      await store.workspaces.setListed(id, false)
      return { removed: id }
    },
    'GET /ai/workspaces/complete': ({ query }) => completePath(query.path ?? '', { ...options, states }),
  })

  async function listed(
    recent: RecentWorkspace,
    active: ActiveCounts,
    chats: number,
    viewer: Viewer | undefined,
  ): Promise<RecentFolder> {
    const [{ state }, page] = await Promise.all([
      stateOf(recent.path),
      chats === 0
        ? undefined
        : store.sessions.list({ workspaceId: recent.id, view: 'active', limit: Math.min(chats, 50), viewer }),
    ])
    return {
      ...shown(recent),
      state,
      own: recent.id === workspaces.own.id,
      chats: recent.sessionCount,
      running: active.running.get(recent.id)?.size ?? 0,
      asks: active.asks.get(recent.id) ?? 0,
      worktrees: options.worktrees.count(recent.id),
      usedAt: recent.usedAt,
      ...(page !== undefined && {
        sessions: page.sessions.map(({ id, title, pinned, updatedAt }) => ({ id, title, pinned, updatedAt })),
      }),
    }
  }

  /** A folder on a member's computer is there while that is connected. */
  async function stateOf(folder: string): Promise<{ state: RecentFolder['state'] }> {
    const at = readJoinedPath(folder)
    if (at === undefined) return states.check(folder, listWaitMs)
    return { state: options.joined?.nodes.isConnected(at) === true ? 'ok' : 'missing' }
  }

  /** Chats that the caller cannot read are not counted. */
  async function countActive(rights: Rights): Promise<ActiveCounts> {
    const folders = new Map<string, string | undefined>()
    const folderOfSession = async (id: string): Promise<string> => {
      if (!folders.has(id)) {
        const session = await store.sessions.get(id)
        const isVisible = session !== undefined && (await rights.session(session)) !== undefined
        folders.set(id, isVisible ? session.workspaceId : undefined)
      }
      return folders.get(id) ?? ''
    }
    const running: ActiveCounts['running'] = new Map()
    for (const { sessionId } of options.runs.live()) {
      const folder = await folderOfSession(sessionId)
      running.set(folder, (running.get(folder) ?? new Set()).add(sessionId))
    }
    const asks: ActiveCounts['asks'] = new Map()
    for (const { sessionId, kind } of await options.inbox.list({})) {
      if (kind === 'browser') continue
      const folder = await folderOfSession(sessionId)
      asks.set(folder, (asks.get(folder) ?? 0) + 1)
    }
    return { running, asks }
  }

  async function folderOf(session: string | undefined, recent: readonly Workspace[]): Promise<string | null> {
    const found = session === undefined ? undefined : await store.sessions.get(session)
    return recent.find(({ id }) => id === found?.workspaceId)?.id ?? null
  }

  async function makeFolder(folder: string, isProgram: boolean): Promise<void> {
    const parent = await states.recheck(path.dirname(folder))
    const isAllowed = isProgram || (parent.real !== undefined && (await workspaces.isAllowed(parent.real)))
    try {
      if (parent.state !== 'ok' || !isAllowed) throw new Error('its parent cannot be used')
      await mkdir(folder)
      await states.recheck(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
      const text = `The folder could not be made: ${(error as Error).message}.`
      throw new NamedError('FolderNotMade', text, { status: 409, data: { path: folder } })
    }
  }
}

interface ActiveCounts {
  running: Map<string, Set<string>>
  asks: Map<string, number>
}

function shown({ id, path: at, trusted, createdAt }: Workspace) {
  const joined = readJoinedPath(at)
  if (joined === undefined) return { id, name: path.basename(at) || at, path: at, trusted, createdAt }
  const { folder, node } = joined
  return { id, name: path.basename(folder) || folder, path: folder, node, trusted, createdAt }
}

/** Places outside of the open folders are for those who may open more. */
function mayOpen(principal: Principal): boolean {
  return principal.kind !== 'person' || principal.person.role === 'owner' || principal.person.role === 'admin'
}
