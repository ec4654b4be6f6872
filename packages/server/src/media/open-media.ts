import type { Blobs, Media, MediaErrorCode, MediaRequest, MediaTask, Store } from '@troupe/core'
import { NamedError, newId } from '@troupe/protocol'
import type { Models } from '../models/models.ts'
import type { MediaUsage } from '../usage/media-cost.ts'
import type { MediaGuard, Spending } from '../usage/spending.ts'

const settingsKey = 'media-tasks'
const maxTasks = 200

interface RunningTask {
  task: MediaTask
  controller: AbortController
  done: Promise<MediaTask>
}

type GuardedMaker = Pick<Awaited<ReturnType<Models['resolveMediaModel']>>, 'make'> & { guard: MediaGuard }

/** Stores tasks, so they can be looked up after a restart. */
export function openMedia(options: {
  models: Pick<Models, 'resolveMediaModel' | 'redact'>
  blobs: Blobs
  /** Blobs for the files of a request, if there are accounts. Default: `blobs`. */
  blobsOf?(request: Pick<MediaRequest, 'sessionId' | 'ownerId'>): Blobs
  store: Pick<Store, 'settings'>
  spending: Pick<Spending, 'mediaGuard'>
  /** The folder that requests without one count for. */
  ownFolder: string
}): Media & { close(): Promise<void> } {
  const { models, blobs, store, spending, ownFolder } = options
  const running = new Map<string, RunningTask>()
  let writing: Promise<unknown> = Promise.resolve()

  return {
    async start(request) {
      const { kind, prompt, chatModel } = request
      const {
        id: model,
        definition,
        local,
        make,
      } = await models.resolveMediaModel(kind, request.model, chatModel).catch(refuse)
      const { price, mediaPrice } = definition
      const guard = spending.mediaGuard({ id: model, price, mediaPrice, local }, { path: request.folder ?? ownFolder })
      try {
        guard.check()
      } catch (error) {
        refuse(error)
      }
      const task: MediaTask = {
        id: newId('task'),
        kind,
        model,
        prompt,
        status: 'running',
        files: [],
        warnings: [],
        createdAt: Date.now(),
        ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
        ...(request.ownerId != null && { ownerId: request.ownerId }),
      }
      await keep(task)
      const controller = new AbortController()
      const done = carryOut(task, request, { make, guard }, controller.signal)
      // The promise may have no other handler, and an unhandled rejection would end the process.
      done.catch(() => undefined)
      running.set(task.id, { task, controller, done })
      return task
    },
    async get(taskId) {
      return running.get(taskId)?.task ?? interruptedTask((await kept()).find(({ id }) => id === taskId))
    },
    async ended(taskId, signal) {
      const found = running.get(taskId)
      if (found === undefined) {
        const task = interruptedTask((await kept()).find(({ id }) => id === taskId))
        if (task === undefined) throw new NamedError('TaskNotFound', 'This task does not exist.', { status: 404 })
        return task
      }
      const stop = (): void => found.controller.abort(signal?.reason)
      if (signal?.aborted === true) stop()
      signal?.addEventListener('abort', stop, { once: true })
      try {
        return await found.done
      } finally {
        signal?.removeEventListener('abort', stop)
      }
    },
    async close() {
      for (const { controller } of running.values()) controller.abort()
      await Promise.allSettled([...running.values()].map(({ done }) => done))
      await writing
    },
  }

  async function carryOut(
    task: MediaTask,
    request: MediaRequest,
    model: GuardedMaker,
    signal: AbortSignal,
  ): Promise<MediaTask> {
    let ended: MediaTask
    try {
      const made = await makeCounted(request, model, signal)
      const files = await Promise.all(
        made.files.map(async ({ bytes, mediaType }) => {
          const blob = await (options.blobsOf?.(request) ?? blobs).put(bytes, mediaType)
          return { ...blob, url: `/ai/blobs/${blob.sha256}` }
        }),
      )
      ended = { ...task, status: 'done', files, warnings: made.warnings }
    } catch (error) {
      const message = models.redact(error instanceof Error ? error.message : String(error))
      ended = signal.aborted
        ? { ...task, status: 'stopped', message: 'Stopped before it finished.' }
        : { ...task, status: 'failed', errorCode: mediaErrorCode(error), message }
    }
    ended.endedAt = Date.now()
    try {
      await keep(ended)
    } finally {
      running.delete(task.id)
    }
    return ended
  }

  async function makeCounted(
    request: MediaRequest,
    { make, guard }: GuardedMaker,
    signal: AbortSignal,
  ): ReturnType<typeof make> {
    const ticket = await guard.admit(unitsOf(request, request.count ?? 1), signal)
    try {
      const made = await make(request, signal)
      ticket.close({ ...unitsOf(request, made.files.length), tokens: made.usage })
      return made
    } catch (error) {
      // The provider bills work that was stopped, but not work that it refused.
      ticket.close(signal.aborted ? unitsOf(request, request.count ?? 1) : undefined)
      throw error
    }
  }

  async function keep(task: MediaTask): Promise<void> {
    const written = store.settings.update(settingsKey, (tasks) => {
      const others = ((tasks ?? []) as MediaTask[]).filter(({ id }) => id !== task.id)
      return [...others, task].slice(-maxTasks)
    })
    writing = Promise.allSettled([writing, written])
    await written
  }

  async function kept(): Promise<MediaTask[]> {
    return ((await store.settings.get(settingsKey)) as MediaTask[] | undefined) ?? []
  }
}

/** If the request names no length. Models make videos of 5 to 8 seconds then. */
const usualVideoSeconds = 8

function unitsOf({ kind, seconds = usualVideoSeconds }: MediaRequest, count: number): MediaUsage {
  return kind === 'image' ? { images: count } : { seconds: seconds * count }
}

function interruptedTask(task: MediaTask | undefined): MediaTask | undefined {
  if (task?.status !== 'running') return task
  return {
    ...task,
    status: 'failed',
    errorCode: 'generation_failed',
    message: 'The server stopped while this was being generated. The provider may still have charged for it.',
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof NamedError)) throw error
  const errorCode = refusals[error.name] ?? 'no_model'
  const { message, status, data, name } = error
  throw new NamedError(name, message, { status, data: { ...data, errorCode }, cause: error })
}

const refusals: Record<string, MediaErrorCode> = {
  ProviderNotConfigured: 'login_required',
  BudgetExceeded: 'insufficient_credits',
}

function mediaErrorCode(error: unknown): MediaErrorCode {
  if (error instanceof NamedError && refusals[error.name] !== undefined) return refusals[error.name] as MediaErrorCode
  const {
    statusCode,
    responseBody = '',
    lastError,
  } = error as {
    statusCode?: number
    responseBody?: string
    lastError?: unknown
  }
  if (lastError !== undefined) return mediaErrorCode(lastError)
  if (statusCode === 402 || /insufficient_(quota|credits|funds)|billing/i.test(responseBody))
    return 'insufficient_credits'
  if (statusCode === 401 || statusCode === 403) return 'login_required'
  if (statusCode === 404) return 'no_model'
  return 'generation_failed'
}
