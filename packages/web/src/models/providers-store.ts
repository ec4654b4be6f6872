import { createStore } from 'zustand/vanilla'
import { toErrorInfo } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import { sortProviders } from '../api/provider-info.ts'
import type { ProviderInfo } from '../api/provider-info.ts'

export interface ProvidersState {
  /** Null until they are read. */
  providers: ProviderInfo[] | null
  failure: string | null
}

/** The providers as the dialog shows them. */
export function createProvidersStore(api: Api) {
  const store = createStore<ProvidersState>(() => ({ providers: null, failure: null }))
  return { ...store, load }

  async function load(): Promise<void> {
    try {
      const { providers } = await api.providers()
      store.setState({ providers: sortProviders(providers), failure: null })
    } catch (error) {
      store.setState({ failure: toErrorInfo(error).message })
    }
  }
}
