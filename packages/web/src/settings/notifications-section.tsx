import { useStore } from 'zustand'
import { NotifyBlocked, NotifySwitch } from '../inbox/notify-switch.tsx'
import { t } from '../texts/t.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import { SettingRow } from './section-parts.tsx'

export function NotificationsSection() {
  const { notifications } = useWorkspace()
  const notifying = useStore(notifications, (state) => state.notifying)
  return (
    <>
      <SettingRow id="notify" title={t.settings.notify} about={t.settings.notifyAbout}>
        <NotifySwitch />
      </SettingRow>
      {notifying === 'none' && <p className="settings-note">{t.settings.notifyNone}</p>}
      <NotifyBlocked />
    </>
  )
}
