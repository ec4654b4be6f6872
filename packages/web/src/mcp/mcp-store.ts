import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import type { McpInfo, McpList, McpPatch } from '../api/settings-types.ts'

interface McpState {
  /** Null until they are read. */
  list: McpList | null
  failure: string | null
  /** Why the last change was not made. */
  refusal: string | null
}

export type McpStore = StoreApi<McpState> & {
  load: () => Promise<void>
  /** Shown at once; one after the other goes to the server. */
  change: (name: string, patch: McpPatch) => Promise<void>
  /** Does something with a server and shows what came of it. Throws what the server says. */
  act: <Result extends { server?: McpInfo }>(action: () => Promise<Result>) => Promise<Result>
}

/** The MCP servers as the dialog shows them. */
export function createMcpStore(api: Api): McpStore {
  const store = createStore<McpState>(() => ({ list: null, failure: null, refusal: null }))
  const { getState, setState } = store
  /** Goes up with every change made here, so that a list that was read before it is not taken for the truth. */
  let revision = 0
  let changes = Promise.resolve()

  return { ...store, load, change, act }

  async function load(): Promise<void> {
    const asked = revision
    try {
      const list = await api.mcp()
      if (asked === revision) setState({ list, failure: null })
    } catch (error) {
      setState({ failure: toErrorInfo(error).message })
    }
  }

  function change(name: string, patch: McpPatch): Promise<void> {
    const known = getState().list?.servers.find((server) => server.name === name)
    if (known !== undefined) show(withPatch(known, patch))
    const mine = ++revision
    setState({ refusal: null })
    changes = changes.then(async () => {
      try {
        const { server } = await api.changeMcp(name, patch)
        // A later change is shown already.
        if (mine === revision) show(server)
      } catch (error) {
        setState({ refusal: toErrorInfo(error).message })
        if (mine === revision) await load()
      }
    })
    return changes
  }

  async function act<Result extends { server?: McpInfo }>(action: () => Promise<Result>): Promise<Result> {
    try {
      const result = await action()
      revision++
      if (result.server !== undefined) show(result.server)
      return result
    } finally {
      await load()
    }
  }

  function show(server: McpInfo): void {
    setState(({ list }) => {
      if (list === null) return {}
      return { list: { ...list, servers: list.servers.map((one) => (one.name === server.name ? server : one)) } }
    })
  }
}

function withPatch(server: McpInfo, { enabled, useTools }: McpPatch): McpInfo {
  if (useTools === undefined) return { ...server, enabled: enabled ?? server.enabled }
  const tools = server.tools.map((tool) => ({ ...tool, enabled: useTools?.includes(tool.name) ?? true }))
  const tokens = tools.reduce((sum, tool) => sum + (tool.enabled ? tool.tokens : 0), 0)
  return { ...server, tools, tokens }
}

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
