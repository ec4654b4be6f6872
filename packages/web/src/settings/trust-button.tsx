import { useState } from 'react'
import { noticeError } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

/** Trusts the open folder, after a question. */
export function TrustButton({ onTrusted }: { onTrusted: () => Promise<void> | void }) {
  const { api } = useWorkspace()
  const [asking, setAsking] = useState(false)
  const trust = async () => {
    try {
      await api.trustWorkspace(true)
      await onTrusted()
    } catch (error) {
      noticeError(error)
    }
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>{t.settings.trust.give}</Button>
      {asking && (
        <ConfirmDialog
          title={t.settings.trust.confirm}
          confirm={t.settings.trust.give}
          onConfirm={() => void trust()}
          onClose={() => setAsking(false)}
        >
          <p>{t.settings.trust.confirmText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
