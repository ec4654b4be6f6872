import type { Answer } from '@troupe/core'
import type { DataParts } from '@troupe/core/protocol'
import { Button } from '../ui/button.tsx'

/** What every form that answers an ask gets. */
export interface AskFormProps {
  ask: DataParts['ask']
  /** The answer is on its way. */
  sending: boolean
  answer: (answer: Answer) => void
}

/** No answer at all: the turn ends. */
export function DeclineButton({ sending, answer, label }: Omit<AskFormProps, 'ask'> & { label: string }) {
  return (
    <Button kind="quiet" disabled={sending} onClick={() => answer({ type: 'deny' })}>
      {label}
    </Button>
  )
}
