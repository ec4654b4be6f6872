import { Eye } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { FilePreview } from '../../content/content-view.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'

export { Eye as Icon }
/** Unmounting would restart a page in use. */
export const staysAlive = true

/** Rendered preview of a file (`path`). `waits` runs active content only at the user's request. */
export default function PreviewPanel({ panel }: PanelProps) {
  const path = textIn(panel.data['path'])
  if (path === undefined) return <p className="side-panel-none">{t.previews.noPreview}</p>
  return <FilePreview key={path} path={path} waits={panel.data['waits'] === true} />
}
