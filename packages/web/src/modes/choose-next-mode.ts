import type { Mode } from '@troupe/core'
import type { AppStore } from '../app-store.ts'
import { t } from '../texts/t.ts'
import { notice } from '../ui/notices.tsx'
import { currentMode, nextMode } from './session-mode.ts'

/** From the one that may do least unasked. */
const byFreedom: readonly Mode[] = ['plan', 'default', 'accept-edits', 'bypass']

/** What a key does. That more may be done unasked from now on is said where it is seen, too. */
export function chooseNextMode(app: AppStore): void {
  const before = currentMode(app.getState())
  const mode = nextMode(before)
  void app.chooseMode(mode)
  if (byFreedom.indexOf(mode) <= byFreedom.indexOf(before)) return
  const sandbox = app.getState().permissions?.sandbox.available === true
  const { name, about } = t.modes.each[mode]
  notice(`${t.modes.picked(name)}. ${about(sandbox)}`)
}
