import { t } from './t.ts'

/** How dates and numbers are written: as the browser has it, where it speaks the language that is shown. */
export function locale(): string {
  const own = globalThis.navigator?.language ?? t.tag
  return own === t.tag || own.startsWith(`${t.tag}-`) ? own : t.tag
}
