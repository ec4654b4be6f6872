import { type ReactNode, useId } from 'react'
import { Group, VisibleText } from '../../ui/elements.tsx'
import { useDisclosure } from '../session/session-context.ts'

/** A line that opens to show more. */
export function Fold({
  id,
  title,
  icon,
  children,
}: {
  id: string
  title: string
  icon: ReactNode
  children: ReactNode
}) {
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  return (
    <Group className="tool" label={title}>
      <button
        type="button"
        className="tool-head"
        aria-expanded={open}
        aria-controls={bodyId}
        onClick={() => setOpen(!open)}
      >
        <span className="tool-icon">{icon}</span>
        <span className="tool-title">
          <VisibleText text={title} as="name" />
        </span>
      </button>
      <div id={bodyId} className="tool-body" hidden={!open}>
        {open && children}
      </div>
    </Group>
  )
}
