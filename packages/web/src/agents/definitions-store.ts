import { createStore } from 'zustand/vanilla'
import type { StoreApi } from 'zustand/vanilla'
import { toErrorInfo } from '../api/api-error.ts'
import type { AgentDefinitionBody, AgentInfo, AgentList, ToolInfo } from '../api/agent-info.ts'
import type { Api } from '../api/api.ts'

export interface DefinitionsState {
  /** Null until they are read. */
  list: AgentList | null
  tools: ToolInfo[]
  failure: string | null
}

export type DefinitionsStore = StoreApi<DefinitionsState> & {
  load: () => Promise<void>
  /** Both throw what the server says of an agent that it refuses. */
  add: (name: string, definition: AgentDefinitionBody) => Promise<AgentInfo>
  change: (name: string, patch: Partial<AgentDefinitionBody>) => Promise<AgentInfo>
  turn: (name: string, enabled: boolean) => Promise<void>
  remove: (name: string) => Promise<void>
}

/** The agents as the dialog shows them. */
export function createDefinitionsStore(api: Api): DefinitionsStore {
  const store = createStore<DefinitionsState>(() => ({ list: null, tools: [], failure: null }))
  return { ...store, load, add, change, turn, remove }

  async function load(): Promise<void> {
    try {
      const [list, { tools }] = await Promise.all([api.agents(), api.tools()])
      store.setState({ list, tools, failure: null })
    } catch (error) {
      store.setState({ failure: toErrorInfo(error).message })
    }
  }

  async function add(name: string, definition: AgentDefinitionBody): Promise<AgentInfo> {
    const { agent } = await api.addAgent(name, definition)
    await load()
    return agent
  }

  async function change(name: string, patch: Partial<AgentDefinitionBody>): Promise<AgentInfo> {
    const { agent } = await api.changeAgent(name, patch)
    await load()
    return agent
  }

  function turn(name: string, enabled: boolean): Promise<void> {
    return attempt(() => api.changeAgent(name, { enabled }))
  }

  function remove(name: string): Promise<void> {
    return attempt(() => api.deleteAgent(name))
  }

  async function attempt(act: () => Promise<unknown>): Promise<void> {
    try {
      await act()
      await load()
    } catch (error) {
      store.setState({ failure: toErrorInfo(error).message })
    }
  }
}
