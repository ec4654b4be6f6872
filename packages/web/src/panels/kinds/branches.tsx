import { GitBranch } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { BranchMap } from '../../branches/branch-map.tsx'
import type { PanelProps } from '../../state/panels-state.ts'

export { GitBranch as Icon }

/** The map of the session's branches; `messageId` is marked in it. */
export default function BranchesPanel({ panel }: PanelProps) {
  return <BranchMap messageId={textIn(panel.data['messageId'])} />
}
