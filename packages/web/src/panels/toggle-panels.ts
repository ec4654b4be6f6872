import { t } from '../texts/t.ts'
import type { Panels } from './panels.ts'

/** Shows or puts away what stands beside the session; where nothing does, it asks what is to stand there. */
export function togglePanels(panels: Panels): void {
  if (panels.getState().panels.length === 0) askForPanel(panels)
  else panels.toggle()
}

export function askForPanel(panels: Panels): void {
  panels.open({ kind: 'open', title: t.panels.newPanel })
}
