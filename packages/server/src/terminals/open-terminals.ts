import { createProcessPool, type Isolation } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import { type PersonTerminal, startPersonTerminal, type TerminalSize } from './person-terminal.ts'

/** The person's terminals of all folders. They outlive pages and chats, and end with the server. */
export interface NewTerminal extends TerminalSize {
  workspaceId: string
  root: string
  folder: string
  /** The person. Null without accounts. */
  ownerId: string | null
  isolation?: Isolation | undefined
}

export interface Terminals {
  /** In team mode each person has their own. */
  list(workspaceId: string, ownerId: string | null): PersonTerminal[]
  /** Throws `TerminalNotFound` (404), also for a terminal of another folder or person. */
  find(workspaceId: string, terminalId: string, ownerId: string | null): PersonTerminal
  /** Throws `TooManyTerminals` (409). */
  start(start: NewTerminal): Promise<PersonTerminal>
  end(terminal: PersonTerminal): Promise<void>
  /** Calls back when a terminal of a folder is added, removed or has another `info`. Returns an unsubscribe function. */
  onChange(workspaceId: string, listener: () => void): () => void
  /** Whose terminals there are, now and with each change. */
  watch(listener: (places: readonly Pick<PersonTerminal, 'workspaceId' | 'ownerId'>[]) => void): void
  close(): Promise<void>
}

const mostTerminals = 24
/** A terminal without output, input or viewer for this long is ended. */
const unusedMs = 24 * 60 * 60 * 1000
const sweepMs = 60_000

export function openTerminals({
  env,
  unusedFor = unusedMs,
}: {
  env: NodeJS.ProcessEnv
  unusedFor?: number
}): Terminals {
  const all = new Map<string, PersonTerminal>()
  const listeners = new Set<{ workspaceId: string; listener: () => void }>()
  const watchers: (() => void)[] = []
  const pool = createProcessPool()
  let starting = 0
  let sweep: NodeJS.Timeout | undefined
  const terminals: Terminals = {
    list: (workspaceId, ownerId) =>
      [...all.values()].filter((one) => one.workspaceId === workspaceId && one.ownerId === ownerId),
    find(workspaceId, terminalId, ownerId) {
      const found = all.get(terminalId)
      if (found?.workspaceId === workspaceId && found.ownerId === ownerId) return found
      throw new NamedError('TerminalNotFound', 'This terminal does not exist. Terminals end with the server.', {
        status: 404,
      })
    },
    async start({ workspaceId, root, folder, columns, rows, ownerId, isolation }) {
      if (all.size + starting >= mostTerminals)
        throw new NamedError(
          'TooManyTerminals',
          `There are already ${mostTerminals} terminals. Close one that you no longer need.`,
          { status: 409, data: { most: mostTerminals } },
        )
      starting++
      try {
        const used = new Set(terminals.list(workspaceId, ownerId).map(({ info }) => info.number))
        let number = 1
        while (used.has(number)) number++
        const terminal = await startPersonTerminal({
          workspaceId,
          root,
          folder,
          columns,
          rows,
          env,
          ownerId,
          isolation,
          number,
        })
        all.set(terminal.id, terminal)
        pool.watch(terminal.pid, terminal.ended)
        let { info } = terminal
        terminal.listeners.add(() => {
          if (info === terminal.info) return
          ;({ info } = terminal)
          // A shell that ended well leaves nothing to read.
          if (!info.running && info.exitCode === 0) forget(terminal)
          else tell(workspaceId)
        })
        sweepLater()
        tell(workspaceId)
        return terminal
      } finally {
        starting--
      }
    },
    async end(terminal) {
      try {
        await terminal.end()
      } finally {
        forget(terminal)
      }
    },
    onChange(workspaceId, listener) {
      const entry = { workspaceId, listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
    watch: (listener) => void watchers.push(() => listener([...all.values()])),
    async close() {
      clearInterval(sweep)
      await Promise.allSettled([...all.values()].map((terminal) => terminal.end()))
      all.clear()
      pool.close()
    },
  }
  return terminals

  function forget(terminal: PersonTerminal): void {
    if (all.delete(terminal.id)) tell(terminal.workspaceId)
  }

  function tell(workspaceId: string): void {
    for (const watcher of watchers) watcher()
    for (const entry of listeners) if (entry.workspaceId === workspaceId) entry.listener()
  }

  function sweepLater(): void {
    sweep ??= setInterval(
      () => {
        for (const terminal of all.values())
          if (terminal.viewers === 0 && Date.now() - terminal.usedAt > unusedFor)
            void terminals.end(terminal).catch(() => undefined)
        if (all.size > 0) return
        clearInterval(sweep)
        sweep = undefined
      },
      Math.min(sweepMs, unusedFor),
    ).unref()
  }
}
