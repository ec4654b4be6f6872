import { Popover } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { ModelChooser } from '../../pickers/model-chooser.tsx'
import { t } from '../../texts/t.ts'
import { useApp } from '../../workspace/workspace.ts'
import { useSessionStore } from '../session/session-context.ts'

export interface ModelChoiceProps {
  messageId: string
  current: string | undefined
  button: ReactNode
  onClosed: () => void
}

export function ModelChoice({ messageId, current, button, onClosed }: ModelChoiceProps) {
  const { regenerate } = useSessionStore()
  const models = useApp((state) => state.models)
  const [open, setOpen] = useState(true)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>{button}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="model-popover"
          align="start"
          sideOffset={4}
          collisionPadding={10}
          aria-label={t.chat.regenerateWith}
          // Wait until the focus has moved back.
          onCloseAutoFocus={() => void setTimeout(onClosed)}
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
