import { t } from '../texts/t.ts'
import type { Outcome } from './use-provider-actions.ts'

export function ProviderOutcome({ busy, outcome }: { busy: boolean; outcome: Outcome | null }) {
  return (
    <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
      {busy ? t.ui.oneMoment : outcome?.text}
    </output>
  )
}
