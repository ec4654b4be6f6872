import { useState } from 'react'
import { translateServerText } from '../../texts/server-texts.ts'
import { formatNumber } from '../../texts/format.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { AccessFailure, useAttempt } from '../parts/access-page.tsx'
import { joinFacts } from '../parts/parts.tsx'
import { governance, type PolicyPreview, type TeamPolicy } from './governance.ts'

/** Asks the server what a policy would change. What it says is dropped when the policy is edited further. */
export function usePolicyPreview(policy: TeamPolicy, isChanged: boolean) {
  const { api } = useWorkspace()
  const { busy, failure, attempt } = useAttempt()
  const [seen, setSeen] = useState<{ of: string; preview: PolicyPreview } | null>(null)
  const of = JSON.stringify(policy)
  const look = () => attempt(async () => setSeen({ of, preview: await governance(api).preview(policy) }))
  return {
    button: (
      <Button disabled={!isChanged || busy} onClick={() => void look()}>
        {t.team.preview.button}
      </Button>
    ),
    result: (
      <div aria-live="polite">
        <AccessFailure text={failure} />
        {isChanged && seen?.of === of && <Preview {...seen.preview} />}
      </div>
    ),
  }
}

const strictness = ['allow', 'ask', 'deny'] as const

function Preview({ checked, calls, models, mcpServers, modes }: PolicyPreview) {
  const isStricter = ({ before, after }: PolicyPreview['calls'][number]) =>
    strictness.indexOf(after) > strictness.indexOf(before)
  const others = [
    models.length > 0 && t.team.preview.models(models.join(', ')),
    mcpServers.length > 0 && t.team.preview.mcpServers(mcpServers.join(', ')),
    ...modes.map(({ mode, chats }) => t.team.preview.mode(t.modes.each[mode].name, chats)),
  ].filter((text) => text !== false)
  return (
    <section className="team-preview" aria-label={t.team.preview.title}>
      <h4>{t.team.preview.title}</h4>
      <p>{t.team.preview.checked(checked)}</p>
      {calls.length === 0 && others.length === 0 && <p>{t.team.preview.nothing}</p>}
      {others.length > 0 && (
        <ul>
          {others.map((text) => (
            <li key={text}>
              <VisibleText text={text} />
            </li>
          ))}
        </ul>
      )}
      <Calls title={t.team.preview.stricter} calls={calls.filter(isStricter)} />
      <Calls title={t.team.preview.looser} calls={calls.filter((call) => !isStricter(call))} />
    </section>
  )
}

function Calls({ title, calls }: { title: string; calls: PolicyPreview['calls'] }) {
  if (calls.length === 0) return null
  return (
    <>
      <h5>{title}</h5>
      <ul className="team-list">
        {calls.map(({ tool, input, before, after, reason, count }) => (
          <li key={`${tool} ${after} ${input}`}>
            <code>
              <VisibleText text={`${tool} ${input}`} />
            </code>
            <p className="team-facts">
              {joinFacts(
                t.team.preview.change(t.team.preview.decisions[before], t.team.preview.decisions[after]),
                count > 1 && t.team.preview.times(formatNumber(count)),
                translateServerText(reason, 'text'),
              )}
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}
