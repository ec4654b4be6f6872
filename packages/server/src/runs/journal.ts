import type { Message, Frame } from '@troupe/protocol'
import type { RunOutcome, RunRecord, RunStatus, Store } from '@troupe/core'

/** The journal's view of a log: it provides unwritten frames and is notified of the result. */
export interface Journalled {
  /** The log's run, until it is stored with the first frames. */
  readonly begun?: RunRecord | undefined
  /** True once nothing more of the log may be written. */
  readonly isClosed?: boolean
  take: () => Frame[]
  written: () => void
  notWritten: (error: unknown) => void
}

/**
 * Writes the frames of all live runs in batches 250 ms after a chunk. If a run must not continue before, writes at
 * once, but only such runs' frames, since every frame has a cost. Logs that request a commit in the same tick share it.
 */
export interface Journal {
  /** Marks the log as having data to write. */
  touch: (log: Journalled) => void
  /** Resolves when the current data of this log (default: all logs) was written or failed. Each log is notified. */
  commit: (log?: Journalled) => Promise<void>
  /** Discards the log's remaining data without a retry. */
  drop: (log: Journalled) => void
  /** Resolves when the write under way, if any, is over. Nothing of a log that is closed is written afterwards. */
  idle: () => Promise<void>
  close: () => Promise<void>
}

const maxPauseMs = 5000

export function createJournal(
  store: Pick<Store, 'frames'>,
  options: {
    intervalMs?: number | undefined
    onError?: (error: unknown) => void
    /** The oldest chunk of a write waited this long. */
    onWritten?: ((ms: number) => void) | undefined
  } = {},
): Journal {
  const { intervalMs = 250, onError = () => undefined, onWritten } = options
  const dirty = new Set<Journalled>()
  const asked = new Set<Journalled>()
  let pauseMs = intervalMs
  let timer: NodeJS.Timeout | undefined
  let touchedAt: number | undefined
  let next: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()

  return {
    touch(log) {
      if (onWritten !== undefined) touchedAt ??= performance.now()
      dirty.add(log)
      timer ??= setTimeout(onTimer, pauseMs)
    },
    drop: (log) => void dirty.delete(log),
    commit,
    idle: () => writing,
    async close() {
      await commit()
      clearTimeout(timer)
    },
  }

  function onTimer(): void {
    timer = undefined
    void commit()
  }

  /** Callers that ask before the write begins share its commit. */
  function commit(log?: Journalled): Promise<void> {
    for (const one of log === undefined ? dirty : [log]) asked.add(one)
    next ??= (async () => {
      await writing
      await new Promise((resolve) => setImmediate(resolve))
      next = undefined
      writing = write()
      await writing
    })()
    return next
  }

  async function write(): Promise<void> {
    const logs = [...asked].filter((log) => dirty.delete(log))
    asked.clear()
    const taken = logs.map((log) => ({ log, frames: log.take() })).filter(({ frames }) => frames.length > 0)
    if (taken.length === 0) return
    const since = touchedAt
    touchedAt = undefined
    const failed = await append(taken)
    if (since !== undefined && failed.length === 0) onWritten?.(performance.now() - since)
    pauseMs = failed.length === 0 ? intervalMs : Math.min(2 * pauseMs, maxPauseMs)
    for (const { log, error } of failed) {
      if (log.isClosed !== true) dirty.add(log)
      log.notWritten(error)
    }
    if (failed.length > 0) timer ??= setTimeout(onTimer, pauseMs)
  }

  /** A log whose frames cannot be written does not block the others. */
  async function append(taken: { log: Journalled; frames: Frame[] }[]): Promise<{ log: Journalled; error: unknown }[]> {
    try {
      const begun = taken.flatMap(({ log }) => log.begun ?? [])
      const refused = await store.frames.append(
        taken.flatMap(({ frames }) => frames),
        begun,
      )
      const [lost, kept] = [taken.filter(isRefused), taken.filter((one) => !isRefused(one))]
      for (const { log } of kept) log.written()
      return lost.map(({ log }) => ({ log, error: new Error('Another node continues this run.') }))

      function isRefused({ frames }: { frames: Frame[] }): boolean {
        return refused.length > 0 && refused.includes(frames[0]?.runId ?? '')
      }
    } catch (error) {
      if (taken.length === 1) {
        onError(error)
        return taken.map(({ log }) => ({ log, error }))
      }
      const failed: { log: Journalled; error: unknown }[] = []
      for (const one of taken) if (one.log.isClosed !== true) failed.push(...(await append([one])))
      return failed
    }
  }
}

/** Stores the answer and the run's state in one commit. Closes the asks of an ended run. */
export async function storeAnswer(store: Store, record: RunRecord, message: Message, status: RunStatus): Promise<void> {
  const { sessionId, agentId } = record
  const at = { sessionId, agentId: agentId ?? undefined }
  await store.transaction(async (inside) => {
    const { id, parts, metadata } = message
    const fields = { id, parts, metadata }
    if ((await inside.messages.get(at, id)) !== undefined) await inside.messages.replace(at, fields)
    else {
      const { userMessageId, createdAt } = record
      await inside.messages.add(at, { ...fields, parentMessageId: userMessageId, role: 'assistant', createdAt })
    }
    const over = status !== 'running' && status !== 'waiting'
    await inside.runs.put({ ...record, status, endedAt: over ? Date.now() : null })
    if (over) await inside.asks.closeRun(record.id)
  })
}

/** An answer that could not be stored, and the last number sent on its stream. */
interface LateAnswer {
  record: RunRecord
  outcome: RunOutcome
  number: number
}

/** Answers that could not be stored, because the disk was full for example. They are stored later. */
interface LateAnswers {
  add(answer: LateAnswer): void
  /** Last numbers of their streams. The next run of the session begins after them. */
  numbers(sessionId: string): number[]
  /** Throws if they still cannot be stored. */
  store(sessionId: string): Promise<void>
  /** By session. */
  all(): [sessionId: string, answers: readonly LateAnswer[]][]
}

export function createLateAnswers(store: Store): LateAnswers {
  const unstored = new Map<string, LateAnswer[]>()
  return {
    add(answer) {
      const { sessionId } = answer.record
      unstored.set(sessionId, [...(unstored.get(sessionId) ?? []), answer])
    },
    numbers: (sessionId) => (unstored.get(sessionId) ?? []).map(({ number }) => number),
    async store(sessionId) {
      for (const late of unstored.get(sessionId) ?? []) {
        await storeAnswer(store, late.record, late.outcome.message, late.outcome.status)
        const rest = (unstored.get(sessionId) ?? []).filter((other) => other !== late)
        if (rest.length > 0) unstored.set(sessionId, rest)
        else unstored.delete(sessionId)
      }
    },
    all: () => [...unstored],
  }
}

/** Reserves ids of tool calls in a session. The used ones are read at the first call, since most turns have none. */
export function createCallIds(store: Pick<Store, 'calls'>, sessionId: string): (id: string) => Promise<boolean> {
  let used: Promise<Set<string>> | undefined
  return async (id) => {
    const ids = await (used ??= store.calls.ids(sessionId).then((stored) => new Set(stored)))
    if (ids.has(id)) return false
    ids.add(id)
    return true
  }
}
