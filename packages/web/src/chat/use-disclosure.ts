import { createContext, useContext, useState } from 'react'

/** What the person has opened or closed in this session. A row that scrolls out of sight is unmounted and must not forget. */
export const DisclosureContext = createContext<Map<string, boolean>>(new Map())

export function useDisclosure(id: string, byDefault: boolean): [boolean, (open: boolean) => void] {
  const chosen = useContext(DisclosureContext)
  const [, redraw] = useState(0)
  const setOpen = (open: boolean) => {
    chosen.set(id, open)
    redraw((count) => count + 1)
  }
  return [chosen.get(id) ?? byDefault, setOpen]
}
