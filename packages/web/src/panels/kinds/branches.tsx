import { GitBranch } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { BranchMap } from '../../branches/branch-map.tsx'
import type { PanelProps } from '../../state/panels-state.ts'

export { GitBranch as Icon }

/** Branch map of the session, with `messageId` selected. */
export default function BranchesPanel({ panel }: PanelProps) {
  return <BranchMap messageId={textIn(panel.data['messageId'])} />
}
