import { Eye } from 'lucide-react'
import { previewKinds } from '../../api/preview-kind.ts'
import { textIn } from '../../api/read-fields.ts'
import { ArtifactPanel, FencePanel } from '../../artifacts/artifact-panel.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import { t } from '../../texts/t.ts'

export { Eye as Icon }
/** Unmounting would restart a page in use. */
export const staysAlive = true

/** Rendered preview of a file (`path`) with its versions. `toolCallId` selects one. Or a code block (`fence`, `text`). `waits` runs active content only at the user's request. */
export default function PreviewPanel({ panel }: PanelProps) {
  const path = textIn(panel.data['path'])
  const fence = previewKinds.find((kind) => kind === panel.data['fence'])
  const text = textIn(panel.data['text'])
  if (fence !== undefined && text !== undefined) return <FencePanel key={text} kind={fence} text={text} />
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
