import { useCallback } from 'react'
import { t } from '../texts/t.ts'
import { VisibleText } from '../ui/visible-text.tsx'
import { useWorkspace } from '../workspace.ts'
import { ServerDataStatus } from './asked-note.tsx'
import { ProblemList } from './problem-list.tsx'
import { SkillImport } from './skill-import.tsx'
import { TrustRow } from './trust-row.tsx'
import { useServerData } from './use-asked.ts'

/** The skills that there are, which stand before which, what is none and why, and how others come in. */
export function SkillsSection() {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.skills(), [api]))
  const { skills = [], problems = [] } = asked.value ?? {}
  return (
    <>
      <p className="settings-note">{t.settings.skills.about}</p>
      <ServerDataStatus asked={asked} />
      <ProblemList title={t.settings.skills.problems} problems={problems} />
      {asked.value !== null && skills.length === 0 && <p className="settings-none">{t.settings.skills.none}</p>}
      <ul className="settings-list" aria-label={t.settings.skills.list}>
        {skills.map(({ name, description, path, scope, allowedTools, personOnly, shadows }) => (
          <li key={path} data-setting={`skill-${name}`} tabIndex={-1}>
            <p>
              <b>
                <VisibleText text={name} as="name" />
              </b>{' '}
              <span className="badge">{t.settings.skills.scopes[scope]}</span>{' '}
              {personOnly === true && <span className="badge">{t.settings.skills.personOnly}</span>}
            </p>
            <p>
              <VisibleText text={description} />
            </p>
            {allowedTools !== undefined && (
              <p>{t.settings.skills.narrows(allowedTools.join(', ') || t.settings.skills.onlyReading)}</p>
            )}
            <p className="settings-path">
              <VisibleText text={path} as="name" />
            </p>
            {shadows.map((other) => (
              <p key={other} className="settings-path">
                {t.settings.skills.shadows} <VisibleText text={other} as="name" />
              </p>
            ))}
          </li>
        ))}
      </ul>
      <SkillImport onImported={asked.again} />
      <TrustRow onChanged={asked.again} />
    </>
  )
}
