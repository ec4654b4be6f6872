import { Columns2 } from 'lucide-react'
import { textIn } from '../../api/read-fields.ts'
import { Comparison } from '../../branches/comparison.tsx'
import type { PanelProps } from '../../state/panels-state.ts'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'

export { Columns2 as Icon }

/** Two branches side by side, by their leaves (`left`, `right`). */
export default function ComparePanel({ panel }: PanelProps) {
  const [left, right] = [textIn(panel.data['left']), textIn(panel.data['right'])]
  if (left === undefined || right === undefined) return <p className="side-panel-none">{t.branches.gone}</p>
  return <Comparison left={left} right={right} />
}
