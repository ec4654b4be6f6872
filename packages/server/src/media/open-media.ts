import type { Blobs, Media, MediaErrorCode, MediaRequest, MediaTask, Store } from '@troupe/core'
import { NamedError, newId } from '@troupe/protocol'
import type { Models } from '../models/models.ts'

const settingsKey = 'media-tasks'
const maxTasks = 200

interface RunningTask {
  task: MediaTask
  controller: AbortController
  done: Promise<MediaTask>
}

/** Stores tasks, so they can be looked up after a restart. */
export function openMedia(options: {
  models: Pick<Models, 'resolveMediaModel' | 'redact'>
  blobs: Blobs
  store: Pick<Store, 'settings'>
}): Media & { close(): Promise<void> } {
  const { models, blobs, store } = options
  const running = new Map<string, RunningTask>()
  let writing = Promise.resolve()

  return {
    async start(request) {
      const { kind, prompt, chatModel } = request
      const { id: model, make } = await models.resolveMediaModel(kind, request.model, chatModel).catch(refuse)
      const task: MediaTask = {
        id: newId('task'),
        kind,
        model,
        prompt,
        status: 'running',
        files: [],
        warnings: [],
        createdAt: Date.now(),
      }
      await keep(task)
      const controller = new AbortController()
      const done = carryOut(task, request, make, controller.signal)
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
    make: Awaited<ReturnType<Models['resolveMediaModel']>>['make'],
    signal: AbortSignal,
  ): Promise<MediaTask> {
    let ended: MediaTask
    try {
      const made = await make(request, signal)
      const files = await Promise.all(
        made.files.map(async ({ bytes, mediaType }) => {
          const blob = await blobs.put(bytes, mediaType)
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

  /** Serialized, because each write replaces the whole list. */
  async function keep(task: MediaTask): Promise<void> {
    const written = writing.then(async () => {
      const others = (await kept()).filter(({ id }) => id !== task.id)
      await store.settings.set(settingsKey, [...others, task].slice(-maxTasks))
    })
    writing = written.catch(() => undefined)
    await written
  }

  async function kept(): Promise<MediaTask[]> {
    return ((await store.settings.get(settingsKey)) as MediaTask[] | undefined) ?? []
  }
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
  const errorCode: MediaErrorCode = error.name === 'ProviderNotConfigured' ? 'login_required' : 'no_model'
  const { message, status, data, name } = error
  throw new NamedError(name, message, { status, data: { ...data, errorCode }, cause: error })
}

function mediaErrorCode(error: unknown): MediaErrorCode {
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
