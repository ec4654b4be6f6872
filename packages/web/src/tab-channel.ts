export interface TabMessage {
  sessionId: string
  what: 'changed' | 'deleted'
}

export interface TabChannel {
  /** Tells the other tabs what happened to a session. */
  tell(news: TabMessage): void
}

/** The tabs of one browser tell each other what the server would only tell when asked. */
export function openTabChannel(onNews: (news: TabMessage) => void): TabChannel {
  if (!('BroadcastChannel' in window)) return { tell: () => undefined }
  const channel = new BroadcastChannel('troupe')
  channel.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (isTabMessage(event.data)) onNews(event.data)
  })
  return { tell: (news) => channel.postMessage(news) }
}

/** A tab may be of another version of the page. */
function isTabMessage(data: unknown): data is TabMessage {
  return typeof data === 'object' && data !== null && 'sessionId' in data && 'what' in data
}
