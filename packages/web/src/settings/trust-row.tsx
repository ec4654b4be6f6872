import { useCallback, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { useWorkspace } from '../workspace.ts'
import { SettingRow } from './setting-row.tsx'
import { useServerData } from './use-asked.ts'

/** Whether what the folder brings along takes effect. */
export function TrustRow({ onChanged }: { onChanged: () => Promise<void> }) {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.workspace(), [api]))
  const [asking, setAsking] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const trusted = asked.value?.workspace?.trusted
  if (trusted === undefined) return null
  const trust = async (on: boolean) => {
    try {
      await api.trustWorkspace(on)
      setFailure(null)
      await Promise.all([asked.again(), onChanged()])
    } catch (error) {
      setFailure(toErrorInfo(error).message)
    }
  }
  return (
    <>
      <SettingRow
        id="trust"
        title={t.settings.trust.title}
        about={trusted ? t.settings.trust.trusted : t.settings.trust.untrusted}
      >
        <Button onClick={() => (trusted ? void trust(false) : setAsking(true))}>
          {trusted ? t.settings.trust.take : t.settings.trust.give}
        </Button>
      </SettingRow>
      {failure !== null && (
        <p className="settings-failure" role="alert">
          {failure}
        </p>
      )}
      {asking && (
        <ConfirmDialog
          title={t.settings.trust.confirm}
          confirm={t.settings.trust.give}
          onConfirm={() => void trust(true)}
          onClose={() => setAsking(false)}
        >
          <p>{t.settings.trust.confirmText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
