import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { McpStore } from './mcp-store.ts'

const connectingPollMs = 700
const idlePollMs = 5000

/** No stream tells of servers: while they are looked at they are asked about, more often while one is connecting. */
export function usePollServers(store: McpStore): void {
  const isConnecting = useStore(store, ({ list }) => list?.servers.some(({ state }) => state === 'connecting') ?? false)
  useEffect(() => void store.load(), [store])
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void store.load()
    }
    const timer = setInterval(look, isConnecting ? connectingPollMs : idlePollMs)
    return () => clearInterval(timer)
  }, [store, isConnecting])
}
