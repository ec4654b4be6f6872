import { t } from '../texts/t.ts'
import type { Asked } from './use-asked.ts'

/** That it is still being asked, or why there is no answer. */
export function AskedNote({ asked: { value, failure } }: { asked: Asked<unknown> }) {
  if (failure !== null) {
    return (
      <p className="settings-failure" role="alert">
        {failure}
      </p>
    )
  }
  return value === null ? <p className="settings-note">{t.ui.loading}</p> : null
}
