import type { Effect } from '@troupe/core'
import { Ban, Check, Hand } from 'lucide-react'
import { t } from '../texts/t.ts'

const icons: Record<Effect, React.ReactNode> = {
  allow: <Check aria-hidden />,
  ask: <Hand aria-hidden />,
  deny: <Ban aria-hidden />,
}

export function EffectMark({ effect }: { effect: Effect }) {
  return (
    <span className="effect" data-effect={effect}>
      {icons[effect]}
      {t.rules.effects[effect]}
    </span>
  )
}
