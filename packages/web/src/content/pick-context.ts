import { createContext } from 'react'

/** A part of a preview that the user selected. */
export interface Picked {
  /** Tag name, or empty for selected text. */
  tag: string
  text: string
}

/** Lets the user select a part of the preview. Null outside of an editor. */
export const PickContext = createContext<{ isActive: boolean; onPick: (picked: Picked) => void } | null>(null)
