import { Eye } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { ArtifactPanel } from '../../artifacts/artifact-panel.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'

export { Eye as Icon }
/** Unmounting would restart a page in use. */
export const staysAlive = true

/** Rendered preview of a file (`path`) with its versions. `toolCallId` selects one. `waits` runs active content only at the user's request. */
export default function PreviewPanel({ panel }: PanelProps) {
  const path = textIn(panel.data['path'])
  if (path === undefined) return <p className="side-panel-none">{t.previews.noPreview}</p>
  const toolCallId = textIn(panel.data['toolCallId'])
  return (
    <ArtifactPanel
      key={`${path} ${toolCallId ?? ''}`}
      path={path}
      toolCallId={toolCallId}
      waits={panel.data['waits'] === true}
    />
  )
}
