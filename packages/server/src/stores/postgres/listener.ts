import type { SignalListener } from '@troupe/core'
import { errorInfo } from '@troupe/protocol'
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../sql/context.ts'
import type { SignalPort } from '../sql/signals.ts'
import { clientOptions } from './pool.ts'

/** Interval of a check that the connection still works. A cut cable sends no error. */
const beatMs = 10_000
const beatTimeoutMs = 5000
const maxPauseMs = 2000

interface ListenerOptions {
  /** Directly to the server: behind a pooler, signals get lost. */
  url: string
  log: Log
}

/**
 * Signals as notifications of Postgres. One connection of its own listens to all channels, connects again when it is
 * lost, and then tells every listener.
 */
export function createPostgresSignals({ url, log }: ListenerOptions): SignalPort {
  const listeners = new Map<string, Set<SignalListener>>()
  let client: pg.Client | undefined
  let connecting: Promise<void> | undefined
  let isClosed = false
  const closed = Promise.withResolvers<void>()
  let last: Promise<unknown> = Promise.resolve()

  /** The driver takes one query at a time. Rejects if the connection is lost. */
  function query(text: string): Promise<pg.QueryResult | undefined> {
    const result = last.then(() => client?.query(text))
    last = result.catch(() => undefined)
    return result
  }

  /** Connects until it works. Resolves when all channels of now are listened to. */
  function connect(): Promise<void> {
    return (connecting ??= (async () => {
      for (let pauseMs = 50; !isClosed; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
        try {
          client = await open()
          break
        } catch (error) {
          log({ level: 'warn', message: `cannot listen to the database: ${errorInfo(error).message}` })
          await Promise.race([new Promise((resolve) => setTimeout(resolve, pauseMs)), closed.promise])
        }
      }
      connecting = undefined
    })())
  }

  async function open(): Promise<pg.Client> {
    const opened = new pg.Client({ ...clientOptions(url), query_timeout: beatTimeoutMs })
    const beat = setInterval(() => {
      if (client === opened) query('select 1').catch((error: unknown) => lose(errorInfo(error).message))
    }, beatMs)
    beat.unref()
    let isLost = false
    const lose = (reason: string): void => {
      isLost = true
      clearInterval(beat)
      opened.removeAllListeners('notification')
      if (client !== opened) return
      client = undefined
      // The end of a lost connection may never be confirmed.
      void opened.end().catch(() => undefined)
      if (isClosed) return
      log({ level: 'warn', message: `the connection for signals was lost: ${reason}` })
      void connect().then(tellReconnected)
    }
    opened.on('error', (error) => lose(error.message))
    opened.on('end', () => lose('it was closed'))
    opened.on('notification', ({ channel, payload = '' }) => {
      for (const listener of listeners.get(channel) ?? []) call(() => listener.onSignal(payload))
    })
    try {
      await opened.connect()
      const channels = [...listeners.keys()]
      if (channels.length > 0) await opened.query(channels.map((channel) => `listen ${channel}`).join('; '))
      if (isLost) throw new Error('the connection was lost at once')
    } catch (error) {
      clearInterval(beat)
      void opened.end().catch(() => undefined)
      throw error
    }
    return opened
  }

  /** An error of one listener affects neither the others nor the process. */
  function call(work: () => void): void {
    try {
      work()
    } catch (error) {
      log({ level: 'error', message: `a signal was not handled: ${errorInfo(error).message}` })
    }
  }

  function tellReconnected(): void {
    if (!isClosed) for (const each of listeners.values()) for (const listener of each) call(listener.onReconnect)
  }

  return {
    async beforeCommit(db, signals) {
      const [channels, payloads] = [signals.map(({ channel }) => channel), signals.map(({ payload }) => payload)]
      await sql`select pg_notify(channel, payload)
        from unnest(${channels}::text[], ${payloads}::text[]) as signal (channel, payload)`.execute(db)
    },
    afterCommit: () => undefined,

    async listen(channel, given) {
      // Two listeners may be the same object.
      const listener = { onSignal: given.onSignal.bind(given), onReconnect: given.onReconnect.bind(given) }
      const known = listeners.get(channel) ?? new Set()
      listeners.set(channel, known.add(listener))
      // A connection that is being opened may have read the channels before.
      while (!isClosed) {
        await (connecting ?? (client === undefined ? connect() : undefined))
        const listened = await query(`listen ${channel}`).catch(() => undefined)
        if (listened !== undefined) break
      }
      return async () => {
        known.delete(listener)
        if (known.size > 0 || listeners.get(channel) !== known) return
        listeners.delete(channel)
        await query(`unlisten ${channel}`).catch(() => undefined)
      }
    },

    async close() {
      isClosed = true
      closed.resolve()
      listeners.clear()
      await connecting
      await client?.end().catch(() => undefined)
    },
  }
}
