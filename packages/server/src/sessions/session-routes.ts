import type { Folder, Session, SessionView, Store } from '@troupe/core'
import {
  branchPageSchema,
  errorInfo,
  folderPatchSchema,
  idSchema,
  NamedError,
  newFolderSchema,
  newId,
  newSessionSchema,
  oneSessionSchema,
  type ParamValues,
  sessionPageSchema,
  sessionPatchSchema,
} from '@troupe/protocol'
import { z } from 'zod'
import type { ChatContext, Modes } from '../chat/handle-chat.ts'
import { answer, route, type Route } from '../http/route.ts'
import { findSession } from '../http/scope.ts'
import type { LiveRun, RunManager } from '../runs/run-manager.ts'
import type { KeyedMutex } from '../util/concurrency.ts'
import type { Logger } from '../util/logger.ts'

const pageLimit = z
  .string()
  .regex(/^\d{1,3}$/, 'a whole number below 1,000')
  .optional()

export function sessionRoutes(options: {
  store: Store
  live: RunManager
  inTurn: KeyedMutex
  modes: Modes
  modelId: ChatContext['modelId']
  checkParams: ChatContext['checkParams']
  onDelete: (sessionId: string) => Promise<void>
}): Route[] {
  const { store, live, inTurn, modes, onDelete } = options
  return [
    route({
      method: 'GET',
      path: '/ai/sessions',
      summary:
        'Sessions of the workspace, newest first; with ?q those that match, and where. What is in the trash is only in ?view=trashed.',
      query: z.object({
        q: z.string().max(1000).optional(),
        view: z.enum(['active', 'archived', 'trashed']).optional(),
        folder: idSchema.optional().describe('the id of a folder, or "none"'),
        cursor: z.string().max(500).optional(),
        limit: pageLimit,
      }),
      scoped: true,
      answers: { 200: sessionPageSchema },
      async handle(c, { query, workspaceId }) {
        const { q, view, folder, cursor } = query
        const found = await store.sessions.list({
          workspaceId,
          ...(q && { query: q }),
          ...(view && { view: view as SessionView }),
          ...(folder && { folderId: folder === 'none' ? null : folder }),
          ...(cursor && { cursor }),
          ...numeric(query['limit']),
        })
        const hits = q ? await store.messages.search({ workspaceId, query: q, limit: 50 }) : []
        return answer(c, sessionPageSchema, {
          sessions: found.sessions.map(withRun),
          nextCursor: found.nextCursor,
          hits,
        })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/sessions',
      summary: 'Creates an empty session.',
      body: newSessionSchema,
      scoped: true,
      answers: { 201: oneSessionSchema, 403: 'BypassNotAllowed', 409: 'SessionExists', 422: 'UnknownMode, BadParams' },
      async handle(c, { body, workspaceId }) {
        const { id = newId('ses_'), mode, ...rest } = body
        const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
        const wanted = mode === undefined ? await modes.initial(workspaceId) : modes.check(mode)
        if (body.params !== undefined) await fit(body.params, body.model)
        const session = await store.sessions.create({ id, workspaceId, ...fields, mode: wanted })
        return answer(c, oneSessionSchema, { session: withRun(session) }, 201)
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id',
      summary: 'One session.',
      scoped: true,
      answers: { 200: oneSessionSchema, 404: 'SessionNotFound' },
      handle: async (c, { params, workspaceId }) =>
        answer(c, oneSessionSchema, { session: withRun(await findSession(store, params['id'], workspaceId)) }),
    }),
    route({
      method: 'PATCH',
      path: '/ai/sessions/:id',
      summary:
        'Renames, pins, archives, puts into a folder or the trash (a live run is stopped first), or sets model, agent, mode and the settings of the model.',
      body: sessionPatchSchema,
      scoped: true,
      answers: {
        200: oneSessionSchema,
        403: 'BypassNotAllowed',
        404: 'SessionNotFound, FolderNotFound',
        422: 'UnknownMode, BadParams',
      },
      async handle(c, { params, body, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const { mode, ...rest } = body
        const wanted = mode === undefined ? undefined : modes.check(mode)
        if (body.params !== undefined) await fit(body.params, body.model === undefined ? session.model : body.model)
        const patch = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
        const patched = await inTurn(session.id, async () => {
          if (body.trashed === true) await live.stop(session.id)
          return store.sessions.update(session.id, patch)
        })
        const current = wanted === undefined ? patched : await modes.set(session.id, wanted)
        return answer(c, oneSessionSchema, { session: withRun(current) })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/sessions/:id',
      summary: 'Deletes a session for good, whether it is in the trash or not; a live run is stopped first.',
      scoped: true,
      answers: { 200: '{deleted}', 404: 'SessionNotFound' },
      async handle(c, { params, workspaceId }) {
        const { id } = await findSession(store, params['id'], workspaceId)
        await remove(id)
        return c.json({ deleted: id })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/trash',
      summary: 'Deletes for good what is in the trash.',
      scoped: true,
      answers: { 200: '{deleted}' },
      async handle(c, { workspaceId }) {
        const deleted: string[] = []
        for (;;) {
          const { sessions } = await store.sessions.list({ workspaceId, view: 'trashed', limit: 200 })
          for (const { id } of sessions) if (await remove(id, { ifTrashed: true })) deleted.push(id)
          if (sessions.length === 0) return c.json({ deleted })
        }
      },
    }),
    route({
      method: 'GET',
      path: '/ai/sessions/:id/messages',
      summary: 'A page from the tail of one branch: the newest, or the newest through the message that ?leaf names.',
      query: z.object({ leaf: z.string().max(64).optional(), before: z.string().max(64).optional(), limit: pageLimit }),
      scoped: true,
      answers: { 200: branchPageSchema, 404: 'SessionNotFound, MessageNotFound' },
      async handle(c, { params, query, workspaceId }) {
        const session = await findSession(store, params['id'], workspaceId)
        const { before } = query
        const at = { sessionId: session.id }
        const through = query['leaf']
        if (through && (await store.messages.get(at, through)) === undefined)
          throw new NamedError('MessageNotFound', 'There is no such message.', { status: 404 })
        const leaf = through && ((await store.messages.latestLeaf(at, through)) ?? through)
        return answer(
          c,
          branchPageSchema,
          await store.messages.branch(at, {
            ...(leaf && { leaf }),
            ...(before && { before }),
            ...numeric(query['limit']),
          }),
        )
      },
    }),
  ]

  /** Throws `BadParams` (422) if the model does not support them. */
  async function fit(params: ParamValues, model: string | null | undefined): Promise<void> {
    if (Object.keys(params).length > 0) await options.checkParams(await options.modelId(model ?? undefined), params)
  }

  /** `ifTrashed` rechecks that the session was not restored meanwhile. */
  function remove(id: string, { ifTrashed = false } = {}): Promise<boolean> {
    return inTurn(id, async () => {
      if (ifTrashed && ((await store.sessions.get(id))?.trashedAt ?? null) === null) return false
      await live.stop(id)
      await onDelete(id)
      await store.sessions.delete(id)
      return true
    })
  }

  function withRun(
    session: Session,
  ): Session & { run: Pick<LiveRun, 'id' | 'status' | 'messageId' | 'userMessageId'> | null } {
    const run = live.get(session.id)
    return {
      ...session,
      mode: modes.of(session),
      run:
        run === undefined
          ? null
          : { id: run.id, status: run.status, messageId: run.messageId, userMessageId: run.userMessageId },
    }
  }
}

function numeric(value: string | undefined): { limit?: number } {
  return value === undefined ? {} : { limit: Math.max(1, Number(value)) }
}

export function folderRoutes({ store }: { store: Store }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/folders',
      summary: 'Folders of sessions, by name, with how many sessions at hand lie in each.',
      scoped: true,
      answers: { 200: '{folders}' },
      handle: async (c, { workspaceId }) => c.json({ folders: await store.folders.list(workspaceId) }),
    }),
    route({
      method: 'POST',
      path: '/ai/folders',
      summary: 'Makes a folder; in another one with parentFolderId, one deep.',
      body: newFolderSchema,
      scoped: true,
      answers: { 201: '{folder}', 404: 'FolderNotFound', 409: 'FolderExists, FolderTooDeep' },
      async handle(c, { body, workspaceId }) {
        const { id = newId('f_'), name, parentFolderId = null } = body
        return c.json({ folder: await store.folders.create({ id, workspaceId, name, parentFolderId }) }, 201)
      },
    }),
    route({
      method: 'PATCH',
      path: '/ai/folders/:id',
      summary: 'Renames or moves a folder.',
      body: folderPatchSchema,
      scoped: true,
      answers: { 200: '{folder}', 404: 'FolderNotFound', 409: 'FolderTooDeep' },
      async handle(c, { params, body, workspaceId }) {
        const { id } = await find(params['id'], workspaceId)
        const { name, parentFolderId } = body
        const patch = { name, parentFolderId }
        return c.json({ folder: await store.folders.update(id, patch) })
      },
    }),
    route({
      method: 'DELETE',
      path: '/ai/folders/:id',
      summary: 'Deletes a folder; what lies in it moves to where it lay.',
      scoped: true,
      answers: { 200: '{deleted}', 404: 'FolderNotFound' },
      async handle(c, { params, workspaceId }) {
        const { id } = await find(params['id'], workspaceId)
        await store.folders.delete(id)
        return c.json({ deleted: id })
      },
    }),
  ]

  async function find(id: string | undefined, workspaceId: string): Promise<Folder> {
    const found = (await store.folders.list(workspaceId)).find((folder) => folder.id === id)
    if (found === undefined) throw new NamedError('FolderNotFound', 'There is no such folder.', { status: 404 })
    return found
  }
}

const trashTtlMs = 30 * 24 * 60 * 60 * 1000
const cleanupIntervalMs = 60 * 60 * 1000

interface TrashOptions {
  store: Store
  live: RunManager
  onDelete: (sessionId: string) => Promise<void>
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
export async function emptyOldTrash({ store, live, onDelete, logger, clock = Date.now }: TrashOptions): Promise<void> {
  const tell = (message: string, error: unknown): void =>
    logger({ level: 'error', message, error: errorInfo(error).message })
  try {
    await store.messages.purge()
    for (const id of await store.sessions.trashedBefore(clock() - trashTtlMs)) {
      try {
        // Deleting takes time, and the session may have been restored meanwhile.
        if (((await store.sessions.get(id))?.trashedAt ?? null) === null) continue
        await live.stop(id)
        await onDelete(id)
        await store.sessions.delete(id)
      } catch (error) {
        tell(`the session ${id} could not be deleted from the trash`, error)
      }
    }
  } catch (error) {
    tell('the trash could not be looked at', error)
  }
}
