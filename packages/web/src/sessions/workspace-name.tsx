import { Folder } from 'lucide-react'
import { Popover } from 'radix-ui'
import { formatElements } from '../texts/sentence.tsx'
import { t } from '../texts/t.ts'
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
      <Popover.Trigger className="workspace-name" title={path} aria-label={t.workspaceName.worksIn(path)}>
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
          aria-label={t.workspaceName.title}
        >
          <p>{t.workspaceName.about}</p>
          <p className="workspace-path">
            <VisibleText text={path} as="name" />
          </p>
          <p>
            {formatElements(t.workspaceName.elsewhere, {
              troupe: <code>troupe serve --workspace folder</code>,
              npm: <code>npm start -- --workspace folder</code>,
            })}
          </p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
