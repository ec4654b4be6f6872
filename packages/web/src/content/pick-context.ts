import { createContext } from 'react'

/** A part of a preview that the user selected. */
export interface Picked {
  /** Tag name, or empty for selected text. */
  tag: string
  text: string
}

interface Editor {
  /** True while the user selects a part of the preview. */
  isActive: boolean
  onPick: (picked: Picked) => void
  /** Asks for a fix of an error that the preview reported. */
  onFix: (error: string) => void
}

/** Lets the user change the preview. Null outside of an editor. */
export const PickContext = createContext<Editor | null>(null)
