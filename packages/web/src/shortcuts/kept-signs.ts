import { browserStorage } from '../api/kept.ts'

const singleKeysKey = 'troupe.signs'

/** Whether a sign alone, such as `?`, is a shortcut. Who speaks to the page or types by accident can turn that off. */
export function areSingleKeysEnabled(): boolean {
  return browserStorage.get(singleKeysKey) !== 'off'
}

export function setSingleKeysEnabled(on: boolean): void {
  browserStorage.set(singleKeysKey, on ? null : 'off')
}
