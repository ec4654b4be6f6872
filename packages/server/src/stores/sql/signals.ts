import { EventEmitter } from 'node:events'
import type { Store } from '@troupe/core'
import { NamedError } from '@troupe/protocol'
import type { Db, Signal, StoreContext } from './context.ts'

/** Delivers the signals of a database. */
export interface SignalPort {
  /** Runs inside the transaction. */
  beforeCommit(db: Db, signals: Signal[]): Promise<void>
  afterCommit(signals: Signal[]): void
  listen: Store['signals']['listen']
  close(): Promise<void>
}

/** The limit of Postgres. */
const maxPayloadBytes = 7999

export function signals(context: StoreContext): Store['signals'] {
  return {
    async notify(channel, payload) {
      checkChannel(channel)
      if (Buffer.byteLength(payload) > maxPayloadBytes || payload.includes('\0'))
        throw invalidSignal(`A payload has at most ${maxPayloadBytes} bytes, and none of them is 0.`)
      await context.write(async (_, changes) => void changes.push({ type: 'signal', channel, payload }))
    },
    async listen(channel, listener) {
      checkChannel(channel)
      return context.listen(channel, listener)
    },
  }
}

function checkChannel(channel: string): void {
  if (!/^[a-z][a-z_]{0,30}$/.test(channel)) throw invalidSignal('A channel is a lower-case name.')
}

function invalidSignal(message: string): NamedError {
  return new NamedError('InvalidSignal', message)
}

/** Signals of a database that one process owns. */
export function createLocalSignals(): SignalPort {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  return {
    beforeCommit: () => Promise.resolve(),
    afterCommit(signals) {
      for (const { channel, payload } of signals) emitter.emit(channel, payload)
    },
    async listen(channel, { onSignal }) {
      // Two listeners may be the same function.
      const own = (payload: string): void => onSignal(payload)
      emitter.on(channel, own)
      return async () => void emitter.off(channel, own)
    },
    close: async () => void emitter.removeAllListeners(),
  }
}
