import { Database } from 'lucide-react'
import { useCallback } from 'react'
import { t } from '../../texts/t.ts'
import { VisibleText } from '../../ui/elements.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import type { SettingsSection } from '../section.ts'
import { ServerDataStatus, useServerData } from '../section-parts.tsx'

export const section: SettingsSection = {
  order: 5.5,
  needs: 'manage',
  title: () => t.settings.sections.connections,
  icon: Database,
  words: () => t.settings.words.connections,
  settings: () => [],
  find: async (api) => {
    const { connections } = await api.connections()
    return connections.map(({ name }) => ({ id: `connection-${name}`, title: name }))
  },
  Component: ConnectionsSection,
}

/** Databases that agents can query. The config holds passwords, so connections are only added there. */
function ConnectionsSection() {
  const { api } = useWorkspace()
  const asked = useServerData(
    useCallback(async () => {
      const [{ connections }, { path }] = await Promise.all([api.connections(), api.config()])
      return { connections, path }
    }, [api]),
  )
  const { connections = [], path } = asked.value ?? {}
  const texts = t.settings.connections
  return (
    <>
      <p className="settings-note">{texts.about}</p>
      <ServerDataStatus asked={asked} />
      {connections.length > 0 && (
        <ul className="settings-list" aria-label={t.settings.sections.connections}>
          {connections.map(({ name, type, writable }) => (
            <li key={name} data-setting={`connection-${name}`} tabIndex={-1}>
              <p>
                <b>
                  <VisibleText text={name} as="name" />
                </b>{' '}
                {texts.types[type]}
              </p>
              <p className="settings-note">{writable ? texts.writable : texts.readOnly}</p>
            </li>
          ))}
        </ul>
      )}
      {path !== undefined && (
        <p className="settings-note">
          {texts.add}{' '}
          <code>
            <VisibleText text={path} as="exact" />
          </code>
        </p>
      )}
    </>
  )
}
