import { t } from '../texts/t.ts'
import type { ProviderActionResult } from './use-provider-actions.ts'

export function ProviderActionNote({ busy, outcome }: { busy: boolean; outcome: ProviderActionResult | null }) {
  return (
    <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'} aria-live="polite">
      {busy ? t.ui.oneMoment : outcome?.text}
    </output>
  )
}
