import type { Effect } from '@troupe/core'
import { Ban, Check, Hand } from 'lucide-react'

const effects: Record<Effect, { word: string; icon: React.ReactNode }> = {
  allow: { word: 'allow', icon: <Check aria-hidden /> },
  ask: { word: 'ask', icon: <Hand aria-hidden /> },
  deny: { word: 'deny', icon: <Ban aria-hidden /> },
}

export function EffectMark({ effect }: { effect: Effect }) {
  const { word, icon } = effects[effect]
  return (
    <span className="effect" data-effect={effect}>
      {icon}
      {word}
    </span>
  )
}
