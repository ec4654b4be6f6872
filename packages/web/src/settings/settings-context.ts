import { createContext, useContext } from 'react'

/** What a section may do with the dialog that it stands in. */
export interface SettingsPane {
  close: () => void
  toTop: () => void
}

export const SettingsContext = createContext<SettingsPane>({ close: () => undefined, toTop: () => undefined })

export function useSettingsPane(): SettingsPane {
  return useContext(SettingsContext)
}
