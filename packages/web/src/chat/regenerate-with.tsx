import { ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useState } from 'react'
import { ModelChooser } from '../models/model-picker.tsx'
import { t } from '../texts/t.ts'
import { useApp } from '../workspace.ts'
import { useSessionStore } from './session-context.ts'

interface RegenerateWithProps {
  messageId: string
  /** Whose answer it is. */
  current: string | undefined
  disabled: boolean
}

/** Another answer, from a model that is chosen for it. */
export function RegenerateWith({ messageId, current, disabled }: RegenerateWithProps) {
  const models = useApp((state) => state.models)
  const { regenerate } = useSessionStore()
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className="icon-button regenerate-with"
        aria-label={t.chat.regenerateWith}
        title={t.chat.regenerateWith}
        disabled={disabled}
      >
        <ChevronDown />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="model-popover"
          align="start"
          sideOffset={4}
          collisionPadding={10}
          aria-label={t.chat.regenerateWith}
        >
          <ModelChooser
            models={models}
            current={current}
            onChoose={(model) => {
              setOpen(false)
              void regenerate(messageId, model)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
