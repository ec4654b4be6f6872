import { t } from '../texts/t.ts'
import type { ServerData } from './use-asked.ts'

/** That it is still being asked, or why there is no answer. */
export function ServerDataStatus({ asked: { value, failure } }: { asked: ServerData<unknown> }) {
  if (failure !== null) {
    return (
      <p className="settings-failure" role="alert">
        {failure}
      </p>
    )
  }
  return value === null ? <p className="settings-note">{t.ui.loading}</p> : null
}
