import type { QueueActions } from './session-services.ts'
import type { FilePartData } from './session-state.ts'
import type { StoreApi } from 'zustand/vanilla'
import type { SessionServices } from './session-services.ts'
import type { ActiveRun, SessionState } from './session-state.ts'

/** `post` says one of the queue below a message, under the id that it has there. */
export function createQueueActions(
  store: StoreApi<SessionState>,
  services: Pick<SessionServices, 'queue' | 'keepDraft' | 'keepAttachments' | 'freeFiles'>,
  post: (text: string, files: FilePartData[], parentMessageId: string | null, id: string) => Promise<void>,
) {
  const { queue } = services
  return { actions: { enqueue, dequeue, sendQueued } satisfies QueueActions, goesOn, sendNext }

  function enqueue(text: string, files: FilePartData[] = []): void {
    queue.add(text, files)
    store.setState({ draft: '', attachments: [] })
    services.keepDraft('')
    services.keepAttachments([])
  }

  function dequeue(ids: readonly string[]): void {
    const taken = queue.getState().items.filter(({ id }) => ids.includes(id))
    for (const { id } of taken) queue.remove(id)
    services.freeFiles(taken.flatMap(({ files }) => files.map(({ url }) => url)))
  }

  async function sendQueued(): Promise<void> {
    if (store.getState().run !== null) return queue.release()
    const next = await queue.takeNow()
    if (next !== undefined) await post(next.text, next.files, store.getState().messages.at(-1)?.id ?? null, next.id)
  }

  /** Whether something is to be sent after this run, so that its end must be seen. */
  function goesOn(): boolean {
    const { items, held } = queue.getState()
    return items.length > 0 && !held
  }

  /** The next one of the queue follows an answer that ended well; after any other the person decides. */
  async function sendNext({ stopAskedAt }: ActiveRun): Promise<void> {
    const answer = store.getState().messages.at(-1)
    const { error, aborted, interrupted, stopped } = answer?.metadata ?? {}
    const isBroken = (error ?? aborted ?? interrupted ?? stopped) !== undefined
    if (stopAskedAt !== null || answer?.role !== 'assistant' || isBroken) return queue.hold()
    const next = await queue.takeAfter(answer.id)
    if (next !== undefined) await post(next.text, next.files, answer.id, next.id)
  }
}
