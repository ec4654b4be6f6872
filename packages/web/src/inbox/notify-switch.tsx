import { Bell, BellOff, BellRing } from 'lucide-react'
import { useStore } from 'zustand'
import '../texts/show-cards.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'

export function NotifySwitch() {
  const { notifications } = useWorkspace()
  const notifying = useStore(notifications, (state) => state.notifying)
  if (notifying === 'none' || notifying === 'blocked') return null
  const isOn = notifying === 'on'
  return (
    <Button
      kind="quiet"
      aria-pressed={isOn}
      onClick={() => (isOn ? notifications.turnOff() : void notifications.turnOn())}
    >
      {isOn ? <BellRing aria-hidden /> : <Bell aria-hidden />}
      {isOn ? t.inbox.notified : t.inbox.notify}
    </Button>
  )
}

export function NotifyBlocked() {
  const { notifications } = useWorkspace()
  const isBlocked = useStore(notifications, (state) => state.notifying === 'blocked')
  if (!isBlocked) return null
  return (
    <p className="inbox-blocked">
      <BellOff aria-hidden />
      {t.inbox.notifyBlocked}
    </p>
  )
}
