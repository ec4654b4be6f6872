import type { Api } from '../api/api.ts'
import { notice, noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'

interface Outcome {
  restored: readonly string[]
  removed?: readonly string[]
  skipped: readonly { path: string; reason: string }[]
  revertId: string
}

/** Says what was reverted and what was left, with a way back. */
export function reportRevert(
  { restored, removed = [], skipped, revertId }: Outcome,
  { api, text, onUndone }: { api: Api; text: (count: number) => string; onUndone: () => void },
): void {
  for (const { path, reason } of skipped.slice(0, 5)) notice(t.changes.skipped(path, reason))
  const count = restored.length + removed.length
  if (count === 0) {
    if (skipped.length === 0) notice(t.changes.nothingDone)
    return
  }
  const undo = async (): Promise<void> => {
    try {
      const undone = await api.call('POST /ai/reverts/:revertId/undo', { params: { revertId } })
      for (const { path, reason } of undone.skipped.slice(0, 5)) notice(t.changes.skipped(path, reason))
      notice(t.changes.undone(undone.restored.length + undone.removed.length))
      onUndone()
    } catch (error) {
      noticeError(error)
    }
  }
  notice(text(count), { label: t.ui.undo, onSelect: () => void undo() })
}
