/**
 * Begins something that calls `done` when it has happened. Rejects with the signal's reason as soon as it is aborted,
 * and then calls what `begin` returned, so that nothing is left behind.
 */
export async function abortable(
  signal: AbortSignal | undefined,
  begin: (done: () => void) => () => void,
): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve) => {
    const onAbort = () => {
      end()
      resolve()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const end = begin(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
  })
  signal?.throwIfAborted()
}

export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve()
  return abortable(signal, (done) => {
    const timer = setTimeout(done, ms)
    return () => clearTimeout(timer)
  })
}
