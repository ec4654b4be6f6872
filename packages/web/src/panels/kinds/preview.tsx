import { Eye } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { FilePreview } from '../../content/content-view.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'

export { Eye as Icon }
/** A page that is being used would begin anew. */
export const staysAlive = true

/** A file (`path`) as it is meant to be seen. `waits`: what runs is run once the person says so. */
export default function PreviewPanel({ panel }: PanelProps) {
  const path = textIn(panel.data['path'])
  if (path === undefined) return <p className="beside-none">{t.previews.noPreview}</p>
  return <FilePreview key={path} path={path} waits={panel.data['waits'] === true} />
}
