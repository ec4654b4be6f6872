import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import './rules-button.css'

/** The way to the rules; it is marked where nothing confines commands. */
export function RulesButton() {
  const { app } = useWorkspace()
  const unconfined = useApp((state) => state.permissions?.sandbox.available === false)
  return (
    <IconButton
      className={unconfined ? 'rules-button rules-button-bad' : 'rules-button'}
      label={unconfined ? t.rules.titleUnconfined : t.rules.title}
      aria-haspopup="dialog"
      onClick={() => app.openSettings('rules')}
    >
      {unconfined ? <ShieldAlert /> : <ShieldCheck />}
    </IconButton>
  )
}
