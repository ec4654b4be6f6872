import { useCallback } from 'react'
import { formatDuration } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { ProblemList, ServerDataStatus, TrustRow, useServerData } from './section-parts.tsx'

export function HooksSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.hooks(), [api]))
  const { hooks = [], problems = [] } = asked.value ?? {}
  return (
    <>
      <p className="settings-note">{t.settings.hooks.about}</p>
      <ServerDataStatus asked={asked} />
      <ProblemList title={t.settings.hooks.problems} problems={problems} />
      {asked.value !== null && hooks.length === 0 && <p className="settings-none">{t.settings.hooks.none}</p>}
      <ul className="settings-list" aria-label={t.settings.hooks.list}>
        {hooks.map(({ event, source, scope, match, command, timeoutMs }, index) => (
          <li key={index} data-setting={`hook-${index}`} tabIndex={-1}>
            <p>
              <b>{command === undefined ? t.settings.hooks.module : <code>{command}</code>}</b>{' '}
              <span className="badge">{t.settings.hooks.scopes[scope]}</span>
            </p>
            <p>
              {t.settings.hooks.events[event]} ·{' '}
              {match === undefined ? (
                t.settings.hooks.everyCall
              ) : (
                <>
                  {t.settings.hooks.aboutCalls} <code>{match.join(', ')}</code>
                </>
              )}{' '}
              · {t.settings.hooks.within(formatDuration(timeoutMs))}
            </p>
            <p className="settings-path">
              <VisibleText text={source} as="name" />
            </p>
          </li>
        ))}
      </ul>
      <TrustRow onChanged={asked.again} />
    </>
  )
}
