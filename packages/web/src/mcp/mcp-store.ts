import { useEffect } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Api } from '../api/api.ts'
import { toErrorInfo } from '../api/request.ts'
import type { McpInfo, McpList, McpPatch } from '../api/settings-types.ts'

interface McpState {
  list: McpList | null
  failure: string | null
  refusal: string | null
}

export type McpStore = StoreApi<McpState> & {
  load: () => Promise<void>
  /** Updates optimistically and sends changes one at a time. */
  change: (name: string, patch: McpPatch) => Promise<void>
  /** Runs an action and shows the updated server. Throws the server's error. */
  act: <Result extends { server?: McpInfo }>(action: () => Promise<Result>) => Promise<Result>
}

export function createMcpStore(api: Api): McpStore {
  const store = createStore<McpState>(() => ({ list: null, failure: null, refusal: null }))
  const { getState, setState } = store
  /** Incremented on every local change, so that older list responses are ignored. */
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
        // Ignore it if a later change is already shown.
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

/** Polls the servers while visible, more often while one is connecting. No stream reports them. */
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
