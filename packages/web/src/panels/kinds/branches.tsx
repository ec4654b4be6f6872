import { GitBranch } from 'lucide-react'
import { BranchMap } from '../../branches/branch-map.tsx'
import { textIn } from '../../displays/parts/read-fields.ts'
import type { PanelProps } from '../panel.ts'

export { GitBranch as Icon }

/** The map of the session's branches; `messageId` is marked in it. */
export default function BranchesPanel({ panel }: PanelProps) {
  return <BranchMap messageId={textIn(panel.data['messageId'])} />
}
