import { t } from '../../texts/t.ts'
import type { SaveResult } from './use-config.ts'

/** That a setting was saved, or why it was not, beside it. */
export function SavedNote({ id, saved }: { id: string; saved: SaveResult | null }) {
  const isMine = saved?.id === id
  return (
    <output className={isMine && saved.failure !== null ? 'settings-failure' : 'settings-outcome'}>
      {isMine ? (saved.failure ?? t.settings.general.saved) : ''}
    </output>
  )
}
