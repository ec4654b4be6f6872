import { Eye } from 'lucide-react'
import { kindOfFile } from '../api/preview-kind.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'

export function PreviewButton({ path }: { path: string }) {
  const { panels } = useSessionStore()
  if (kindOfFile(path) === undefined) return null
  const title = path.slice(path.lastIndexOf('/') + 1)
  return (
    <IconButton
      label={t.previews.openInPanel}
      onClick={() => panels.open({ kind: 'preview', key: path, title, data: { path } })}
    >
      <Eye />
    </IconButton>
  )
}
