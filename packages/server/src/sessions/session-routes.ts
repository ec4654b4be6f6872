import type { Folder, Session, Store } from '@troupe/core'
import {
  errorInfo,
  folderEndpoints,
  type ListedSession,
  NamedError,
  newId,
  type ParamValues,
  sessionEndpoints,
  type StoredMessage,
} from '@troupe/protocol'
import { type BlobScopes, personIdOf, viewerOf } from '../http/principal.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import { checkParams } from '../models/call-settings.ts'
import type { Models } from '../models/models.ts'
import type { Permissions } from '../permission/permissions.ts'
import type { RunManager, RunState } from '../runs/run-types.ts'
import type { PublishedPages } from '../transfer/publish/published-pages.ts'
import type { KeyedMutex } from '../util/concurrency.ts'
import type { Logger } from '../util/logger.ts'
import { assertMessage, pageSize } from './message-routes.ts'

export function sessionRoutes(options: {
  store: Store
  runs: RunManager
  lock: KeyedMutex
  permissions: Pick<Permissions, 'checkMode' | 'initialMode' | 'modeOf' | 'setMode'>
  models: Pick<Models, 'resolveChatModel'>
  /** Called before a session is deleted. Releases everything that belongs to it. */
  dropSession: (sessionId: string) => Promise<void>
  /** Called after a session is deleted. */
  published: Pick<PublishedPages, 'unpublishDeleted'>
  blobScopes: Pick<BlobScopes, 'copy'>
}): Route[] {
  const { store, runs, lock, permissions, dropSession, published } = options
  return implement(sessionEndpoints, {
    'GET /ai/sessions': async ({ principal, query: { q, view, folder, shared, cursor, limit }, workspaceId }) => {
      const viewer = viewerOf(principal)
      const found = await store.sessions.list({
        workspaceId,
        query: q || undefined,
        view: view || undefined,
        folderId: folder === 'none' ? null : folder || undefined,
        viewer,
        withoutShared: shared === '0',
        cursor: cursor || undefined,
        ...pageSize(limit),
      })
      const hits = q ? await store.messages.search({ workspaceId, query: q, limit: 50, viewer }) : []
      return { sessions: await withRuns(found.sessions), nextCursor: found.nextCursor, hits }
    },
    'POST /ai/sessions': async ({ principal, body, workspaceId }) => {
      const { id = newId('ses_'), mode, ...rest } = body
      const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
      const wanted = mode === undefined ? await permissions.initialMode(workspaceId) : permissions.checkMode(mode)
      if (body.params !== undefined) await fit(body.params, body.model)
      const session = await store.sessions.create({
        id,
        workspaceId,
        ...fields,
        mode: wanted,
        ownerId: personIdOf(principal) ?? null,
      })
      return { session: await withRun(session) }
    },
    'GET /ai/sessions/:id': async ({ params, workspaceId }) => ({
      session: await withRun(await findSession(store, params.id, workspaceId)),
    }),
    'PATCH /ai/sessions/:id': async ({ params, body, workspaceId }) => {
      const session = await findSession(store, params.id, workspaceId)
      const { mode, ...rest } = body
      const wanted = mode === undefined ? undefined : permissions.checkMode(mode)
      if (body.params !== undefined) await fit(body.params, body.model === undefined ? session.model : body.model)
      const patch = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
      const patched = await lock(session.id, async () => {
        if (body.trashed === true) await runs.stop(session.id)
        return store.sessions.update(session.id, patch)
      })
      return { session: await withRun(wanted === undefined ? patched : await permissions.setMode(session.id, wanted)) }
    },
    'DELETE /ai/sessions/:id': async ({ params, workspaceId }) => {
      const { id } = await findSession(store, params.id, workspaceId)
      await remove(id)
      return { deleted: id, stillPublished: await published.unpublishDeleted(id) }
    },
    'POST /ai/sessions/:id/fork': async ({ principal, params, body: { messageId }, workspaceId }) => {
      const from = await findSession(store, params.id, workspaceId)
      await assertMessage(store, { sessionId: from.id }, messageId)
      await runs.assertFree(from.id, messageId)
      const session = await forkSession(store, from, messageId, personIdOf(principal) ?? null)
      await options.blobScopes.copy(from.id, session.id)
      return { session }
    },
    'DELETE /ai/trash': async ({ principal, rights, workspaceId }) => {
      const deleted: string[] = []
      const stillPublished: string[] = []
      const viewer = viewerOf(principal)
      for (let cursor: string | undefined; ;) {
        const page = await store.sessions.list({ workspaceId, view: 'trashed', limit: 200, viewer, cursor })
        for (const session of page.sessions) {
          // Others' chats that the caller only sees stay.
          if ((await rights.session(session)) !== 'manage' || !(await remove(session.id, { ifTrashed: true }))) continue
          deleted.push(session.id)
          stillPublished.push(...(await published.unpublishDeleted(session.id)))
        }
        if (page.nextCursor === null) return { deleted, stillPublished }
        cursor = page.nextCursor
      }
    },
  })

  /** Throws `BadParams` (422) if the model does not support them. */
  async function fit(params: ParamValues, model: string | null | undefined): Promise<void> {
    if (Object.keys(params).length === 0) return
    checkParams(params, (await options.models.resolveChatModel(model ?? undefined)).definition)
  }

  /** `ifTrashed` rechecks that the session was not restored meanwhile. */
  function remove(id: string, { ifTrashed = false } = {}): Promise<boolean> {
    return lock(id, async () => {
      if (ifTrashed && ((await store.sessions.get(id))?.trashedAt ?? null) === null) return false
      await runs.stop(id)
      await dropSession(id)
      await store.sessions.delete(id)
      return true
    })
  }

  async function withRun(session: Session): Promise<ListedSession> {
    const [listed] = await withRuns([session])
    return listed as ListedSession
  }

  async function withRuns(sessions: readonly Session[]): Promise<ListedSession[]> {
    const states = await runs.states(sessions.map(({ id }) => id))
    return sessions.map((session) => listed(session, states.get(session.id) ?? []))
  }

  function listed(session: Session, live: readonly RunState[]): ListedSession {
    const run = live.find(({ status }) => status === 'waiting') ?? live[0]
    return {
      ...session,
      mode: permissions.modeOf(session),
      run:
        run === undefined
          ? null
          : { id: run.id, status: run.status, messageId: run.messageId, userMessageId: run.userMessageId },
    }
  }
}

/** Creates a session with the messages up to this one. Run state, such as active agents, is not copied. */
function forkSession(store: Store, from: Session, messageId: string, ownerId: string | null): Promise<Session> {
  const { workspaceId, projectId, title, model, agent, folderId, params } = from
  // Bypass mode was granted to that session only.
  const mode = from.mode === 'bypass' ? 'default' : from.mode
  const id = newId('ses_')
  return store.transaction(async (inside) => {
    const messages = await inside.messages.chain({ sessionId: from.id }, messageId)
    await inside.sessions.create({ id, workspaceId, projectId, ownerId })
    for (const message of messages) await inside.messages.add({ sessionId: id }, withoutRatings(message))
    return inside.sessions.update(id, { title, model, agent, mode, folderId, params })
  })
}

/** Ratings and other columns stay with the original. */
function withoutRatings({ metadata, ...message }: StoredMessage): StoredMessage {
  if (metadata === undefined) return message
  const { feedback: _, comparison: __, ...rest } = metadata
  return { ...message, metadata: rest }
}

export function folderRoutes({ store }: { store: Store }): Route[] {
  return implement(folderEndpoints, {
    'GET /ai/folders': async ({ principal, workspaceId }) => ({
      folders: await store.folders.list(workspaceId, viewerOf(principal)),
    }),
    'POST /ai/folders': async ({ body: { id = newId('f_'), name, parentFolderId = null }, workspaceId }) => ({
      folder: await store.folders.create({ id, workspaceId, name, parentFolderId }),
    }),
    'PATCH /ai/folders/:id': async ({ params, body: { name, parentFolderId }, workspaceId }) => {
      const { id } = await find(params.id, workspaceId)
      return { folder: await store.folders.update(id, { name, parentFolderId }) }
    },
    'DELETE /ai/folders/:id': async ({ params, workspaceId }) => {
      const { id } = await find(params.id, workspaceId)
      await store.folders.delete(id)
      return { deleted: id }
    },
  })

  async function find(id: string, workspaceId: string): Promise<Folder> {
    const found = (await store.folders.list(workspaceId)).find((folder) => folder.id === id)
    if (found === undefined) throw new NamedError('FolderNotFound', 'This folder does not exist.', { status: 404 })
    return found
  }
}

const trashTtlMs = 30 * 24 * 60 * 60 * 1000
const cleanupIntervalMs = 60 * 60 * 1000

interface TrashOptions {
  store: Store
  runs: RunManager
  dropSession: (sessionId: string) => Promise<void>
  published: Pick<PublishedPages, 'unpublishDeleted'>
  logger: Logger
  clock?: () => number
}

/**
 * Permanently deletes sessions trashed for 30 days and unrecoverable messages, now and every hour. Returns a function
 * to stop it.
 */
export function scheduleTrashCleanup(options: TrashOptions): () => Promise<void> {
  let work = emptyOldTrash(options)
  const timer = setInterval(() => void (work = work.then(() => emptyOldTrash(options))), cleanupIntervalMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await work
  }
}

/** A failed deletion is logged and retried next time. */
export async function emptyOldTrash({
  store,
  runs,
  dropSession,
  published,
  logger,
  clock = Date.now,
}: TrashOptions): Promise<void> {
  const tell = (message: string, error: unknown): void =>
    logger({ level: 'error', message, error: errorInfo(error).message })
  try {
    await store.messages.purge()
    for (const id of await store.sessions.trashedBefore(clock() - trashTtlMs)) {
      try {
        // Deleting takes time, and the session may have been restored meanwhile.
        if (((await store.sessions.get(id))?.trashedAt ?? null) === null) continue
        await runs.stop(id)
        await dropSession(id)
        await store.sessions.delete(id)
        await published.unpublishDeleted(id)
      } catch (error) {
        tell(`the session ${id} could not be deleted from the trash`, error)
      }
    }
  } catch (error) {
    tell('the trash could not be looked at', error)
  }
}
