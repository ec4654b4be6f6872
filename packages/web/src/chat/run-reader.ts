import { createFold } from '@troupe/core/protocol'
import type { Chunk, Fold, Message } from '@troupe/core/protocol'
import { partData } from './data-of.ts'
import type { ActiveRun } from './session-state.ts'
import { addMediaProgress, addProgress } from './tool-progress.ts'

export interface RunReaderOptions {
  /** The first chunk of a run. */
  onRun: () => void
  /** The stream went on to another run than the one that was being read. */
  onOtherRun: () => void
  /** At most once in `everyMs`, with everything that came since. */
  onNews: (message: Message, news: Partial<ActiveRun>) => void
  everyMs?: number
}

/** Folds the stream of a run and passes on what it has become, not more often than an eye can follow. */
export function createRunReader({ onRun, onOtherRun, onNews, everyMs = 50 }: RunReaderOptions) {
  let fold: Fold | undefined
  let progress: ActiveRun['progress'] = {}
  let retry: ActiveRun['retry'] = null
  let errorText: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  return { take, restart, flush, close }

  function take(chunk: Chunk): void {
    if (fold === undefined) {
      fold = createFold()
      onRun()
    } else if (chunk.type === 'start') {
      // A log that is sent from its beginning although we named a number, or a run that began while we were away.
      const other = fold.messageId !== '' && chunk.messageId !== fold.messageId
      if (other) flush()
      restart()
      fold = createFold()
      if (other) onOtherRun()
    }
    fold.push(chunk)
    note(chunk)
    timer ??= setTimeout(flush, everyMs)
  }

  function note(chunk: Chunk): void {
    const step = partData(chunk, 'tool-progress')
    if (step !== undefined)
      progress = { ...progress, [step.toolCallId]: addProgress(progress[step.toolCallId], step.delta) }
    const media = partData(chunk, 'media-generate-start') ?? partData(chunk, 'media-generate-progress')
    if (media?.toolCallId !== undefined)
      progress = { ...progress, [media.toolCallId]: addMediaProgress(progress[media.toolCallId], media) }
    if (chunk.type === 'error') errorText = chunk.errorText
    retry = partData(chunk, 'retry') ?? null
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (fold === undefined || fold.messageId === '') return
    onNews(fold.snapshot(), { progress, retry, errorText })
  }

  function restart(): void {
    fold = undefined
    progress = {}
    retry = null
    errorText = null
  }

  function close(): void {
    clearTimeout(timer)
  }
}
