import type { Panels } from '../panels/panels.ts'
import { t } from '../texts/t.ts'

/** Two branches side by side, named by their ends. */
export function openComparison(panels: Panels, left: string, right: string): void {
  panels.open({ kind: 'compare', key: 'branches', title: t.branches.compareTitle, data: { left, right } })
}
