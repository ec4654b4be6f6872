import { isRecord } from '../displays/parts/read-fields.ts'
import { GenericCard } from './generic-card.tsx'
import type { CardProps } from './tool-call.ts'

export interface CommandCardProps extends CardProps {
  /** Which field of the input is the command; without one the input is. */
  field?: string
}

/** For tools that run commands: exactly what is to run before it does, and what it prints while it does. */
export function CommandCard({ call, field }: CommandCardProps) {
  const { input, state, notes } = call
  const given = field === undefined ? input : isRecord(input) ? input[field] : undefined
  const command = typeof given === 'string' ? given : undefined
  const description = isRecord(input) ? input['description'] : undefined
  // Until the tool itself says what it shows, the card has the words of whoever wrote the command.
  const isNamed = state === 'approval-requested' || notes.display !== undefined
  return (
    <GenericCard
      call={call}
      {...(!isNamed &&
        typeof description === 'string' && { title: description, summary: command?.trim().split('\n', 1)[0] })}
      preview={command === undefined ? undefined : { kind: 'terminal', command }}
    />
  )
}
