import type { Store } from '@troupe/core'
import type { ChangeSignal } from './team-settings.ts'

const channel = 'team'
/** Topic after an interruption, during which signals may have been lost. */
const everything = '*'

/** The signals of the database, which reach all nodes. */
export async function openStoreSignal(
  store: Pick<Store, 'signals'>,
): Promise<ChangeSignal & { close(): Promise<void> }> {
  const listeners = new Set<(topic: string) => void>()
  const tell = (topic: string): void => listeners.forEach((listener) => listener(topic))
  const close = await store.signals.listen(channel, { onSignal: tell, onReconnect: () => tell(everything) })
  return {
    publish: (topic) => store.signals.notify(channel, topic),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close,
  }
}
