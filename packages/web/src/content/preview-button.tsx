import { Eye } from 'lucide-react'
import { kindOfFile } from '../api/preview-kind.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { viewerOf } from '../api/viewer-kind.ts'

export function PreviewButton({ path }: { path: string }) {
  const { panels } = useSessionStore()
  const title = path.slice(path.lastIndexOf('/') + 1)
  const viewer = viewerOf(path)
  // Tables of text open in the editor, so their preview is another panel.
  if (viewer !== undefined && kindOfFile(path) !== 'csv' && !path.startsWith('/'))
    return (
      <IconButton
        label={t.previews.openInPanel}
        onClick={() => panels.open({ kind: 'file', key: path, title, data: { path } })}
      >
        <Eye />
      </IconButton>
    )
  if (kindOfFile(path) === undefined) return null
  return (
    <IconButton
      label={t.previews.openInPanel}
      onClick={() => panels.open({ kind: 'preview', key: path, title, data: { path } })}
    >
      <Eye />
    </IconButton>
  )
}
