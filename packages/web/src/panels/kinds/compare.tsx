import { Columns2 } from 'lucide-react'
import { Comparison } from '../../branches/comparison.tsx'
import { textIn } from '../../displays/parts/read-fields.ts'
import { t } from '../../texts/t.ts'
import type { PanelProps } from '../panel.ts'

export { Columns2 as Icon }

/** Two branches side by side, named by their ends (`left`, `right`). */
export default function ComparePanel({ panel }: PanelProps) {
  const [left, right] = [textIn(panel.data['left']), textIn(panel.data['right'])]
  if (left === undefined || right === undefined) return <p className="beside-none">{t.branches.gone}</p>
  return <Comparison left={left} right={right} />
}
