import type { Mode } from '@troupe/core'
import { FilePen, Hand, Map, ShieldOff } from 'lucide-react'
import type { ReactNode } from 'react'

export interface ModeText {
  name: string
  /** What it means for the person. */
  about: (sandbox: boolean) => string
  icon: ReactNode
}

export const modeTexts: Record<Mode, ModeText> = {
  default: {
    name: 'Default',
    about: () => 'Looks around by itself; asks before it changes, runs or sends anything.',
    icon: <Hand aria-hidden />,
  },
  'accept-edits': {
    name: 'Accept edits',
    about: (sandbox) =>
      sandbox
        ? 'Changes files of this folder and runs commands in the sandbox without asking.'
        : 'Changes files of this folder without asking. Commands still ask.',
    icon: <FilePen aria-hidden />,
  },
  plan: {
    name: 'Plan',
    about: () => 'Changes nothing. Shows you a plan first, and begins when you approve it.',
    icon: <Map aria-hidden />,
  },
  bypass: {
    name: 'Bypass',
    about: () => 'Runs everything unasked, but for what a rule denies or asks about.',
    icon: <ShieldOff aria-hidden />,
  },
}
