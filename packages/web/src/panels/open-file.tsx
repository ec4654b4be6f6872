import { PanelRightOpen } from 'lucide-react'
import { use } from 'react'
import { SessionContext } from '../chat/session-context.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'

/** Shows a file of the workspace beside the chat, at a line. */
export function OpenFileInPanel({ path, line }: { path: string; line?: number | undefined }) {
  const store = use(SessionContext)
  if (store === null || path === '') return null
  const title = path.split('/').at(-1) || path
  const data = { path, ...(line !== undefined && { line }) }
  return (
    <IconButton
      className="open-file"
      label={`${t.panels.openBeside}: ${path}`}
      onClick={() => store.panels.open({ kind: 'file', key: path, title, data })}
    >
      <PanelRightOpen />
    </IconButton>
  )
}
