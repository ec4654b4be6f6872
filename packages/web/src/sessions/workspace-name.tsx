import { Folder } from 'lucide-react'
import { Popover } from 'radix-ui'
import { VisibleText } from '../ui/visible-text.tsx'
import { useApp } from '../workspace.ts'
import './workspace-name.css'

/** The folder that is worked in, and how to work in another. */
export function WorkspaceName() {
  const path = useApp((state) => state.workspacePath)
  if (path === null) return null
  const name = path.split(/[/\\]/).findLast((piece) => piece !== '') ?? path
  return (
    <Popover.Root>
      <Popover.Trigger className="workspace-name" title={path} aria-label={`Works in the folder ${path}`}>
        <Folder aria-hidden />
        <span>
          <VisibleText text={name} as="name" />
        </span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="workspace-about"
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={10}
          aria-label="The folder that is worked in"
        >
          <p>Tools read and change files in this folder:</p>
          <p className="workspace-path">
            <VisibleText text={path} as="name" />
          </p>
          <p>
            To work elsewhere, end Troupe and start it with <code>troupe serve --workspace folder</code> or{' '}
            <code>npm start -- --workspace folder</code>.
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
