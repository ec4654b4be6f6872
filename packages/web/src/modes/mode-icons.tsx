import type { Mode } from '@troupe/core'
import { FilePen, Hand, Map, ShieldOff } from 'lucide-react'
import type { ReactNode } from 'react'

export const modeIcons: Record<Mode, ReactNode> = {
  default: <Hand aria-hidden />,
  'accept-edits': <FilePen aria-hidden />,
  plan: <Map aria-hidden />,
  bypass: <ShieldOff aria-hidden />,
}
