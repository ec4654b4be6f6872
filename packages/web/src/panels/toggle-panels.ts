import { t } from '../texts/t.ts'
import type { Panels } from './panels.ts'

/** Shows or puts away what stands beside the session; where nothing does, it asks what is to stand there. */
export function togglePanels(panels: Panels): void {
  if (panels.getState().panels.length === 0) openPanelChooser(panels)
  else panels.toggle()
}

export function openPanelChooser(panels: Panels): void {
  panels.open({ kind: 'open', title: t.panels.newPanel })
}
