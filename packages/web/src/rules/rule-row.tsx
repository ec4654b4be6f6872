import { TriangleAlert } from 'lucide-react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/visible-text.tsx'
import { EffectMark } from './effect-mark.tsx'
import type { ShownRule } from './group-rules.ts'

export interface RuleRowProps {
  rule: ShownRule
  onRevoke: () => void
  onPutBack: () => void
}

/** A rule, what is wrong with it, and the way to take it back. */
export function RuleRow({ rule, onRevoke, onPutBack }: RuleRowProps) {
  const { text, effect, editable, problem, revoked } = rule
  return (
    <li className="rule" data-revoked={revoked} data-setting={`rule-${rule.id}`}>
      <EffectMark effect={effect} />
      <span className="rule-text">
        <code>
          <VisibleText text={text} as="exact" />
        </code>
        {problem !== undefined && (
          <span className="rule-problem">
            <TriangleAlert aria-hidden />
            <span>
              <VisibleText text={problem} />
            </span>
          </span>
        )}
        {revoked && <span className="rule-file">{t.rules.takenBack}</span>}
      </span>
      {editable && (
        // One button for both ways: the focus stays where it is.
        <Button
          kind="quiet"
          aria-label={`${revoked ? t.rules.putBack : t.rules.revoke} ${t.rules.effects[effect]} ${text}`}
          onClick={revoked ? onPutBack : onRevoke}
        >
          {revoked ? t.rules.putBack : t.rules.revoke}
        </Button>
      )}
    </li>
  )
}
