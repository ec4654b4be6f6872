export interface TabChannel {
  /** Tells the other tabs that something happened in this session. */
  tell(sessionId: string): void
}

/** The tabs of one browser tell each other what the server would only tell when asked. */
export function openTabChannel(onChanged: (sessionId: string) => void): TabChannel {
  if (!('BroadcastChannel' in window)) return { tell: () => undefined }
  const channel = new BroadcastChannel('troupe')
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (typeof event.data === 'string') onChanged(event.data)
  })
  return { tell: (sessionId) => channel.postMessage(sessionId) }
}
