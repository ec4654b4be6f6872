import { createContext } from 'react'

/** The open dialog around a component: what is to lie over it has to be put into it. */
export const DialogContext = createContext<HTMLDialogElement | null>(null)
