import { keptByBrowser } from '../api/kept.ts'

const key = 'troupe.signs'

/** Whether a sign alone, such as `?`, is a shortcut. Who speaks to the page or types by accident can turn that off. */
export function keepsSigns(): boolean {
  return keptByBrowser.get(key) !== 'off'
}

export function keepSigns(on: boolean): void {
  keptByBrowser.set(key, on ? null : 'off')
}
