import type { HookInfo } from '@troupe/protocol'
import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { formatDuration, formatSeconds } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { type HookFields, HookForm } from './hook-form.tsx'
import { RowActions } from './row-actions.tsx'
import {
  ActionFailure,
  ProblemList,
  ServerDataStatus,
  TrustRow,
  useServerAction,
  useServerData,
} from './section-parts.tsx'

export function HooksSection() {
  const { api } = useWorkspace()
  const asked = useServerData(
    useCallback(async () => {
      const [listed, { workspace }] = await Promise.all([api.hooks(), api.workspace()])
      return { ...listed, trusted: workspace?.trusted === true }
    }, [api]),
  )
  const [adding, setAdding] = useState(false)
  const { hooks = [], problems = [], trusted = false } = asked.value ?? {}
  const { act, failure } = useServerAction(asked)
  return (
    <>
      <p className="settings-note">{t.settings.hooks.about}</p>
      <ServerDataStatus asked={asked} />
      <ProblemList title={t.settings.hooks.problems} problems={problems} />
      <ActionFailure failure={failure} />
      {asked.value !== null && hooks.length === 0 && !adding && (
        <p className="settings-none">{t.settings.hooks.none}</p>
      )}
      <ul className="settings-list" aria-label={t.settings.hooks.list}>
        {hooks.map((hook, index) => (
          <HookRow
            key={hook.id ?? hook.source}
            index={index}
            hook={hook}
            trusted={trusted}
            onChange={async (id, { scope: _, ...fields }) => {
              await api.changeHook(id, fields)
              await asked.again()
            }}
            onToggle={(id) => act(() => api.changeHook(id, { enabled: !hook.enabled }))}
            onDelete={(id) => act(() => api.deleteHook(id))}
          />
        ))}
      </ul>
      <div className="settings-add" data-setting="new">
        {adding ? (
          <HookForm
            trusted={trusted}
            onCancel={() => setAdding(false)}
            onSave={async (fields) => {
              await api.addHook(fields)
              setAdding(false)
              await asked.again()
            }}
          />
        ) : (
          <div className="settings-row-buttons">
            <Button onClick={() => setAdding(true)}>
              <Plus aria-hidden />
              {t.hookEditor.add}
            </Button>
          </div>
        )}
      </div>
      <TrustRow onChanged={asked.again} />
    </>
  )
}

interface HookRowProps {
  hook: HookInfo
  index: number
  trusted: boolean
  /** Throws the server's validation error. */
  onChange: (id: string, fields: HookFields) => Promise<void>
  onToggle: (id: string) => Promise<void>
  onDelete: (id: string) => Promise<void>
}

/** A module is a file of its own, so it is only listed. */
function HookRow({ hook, index, trusted, onChange, onToggle, onDelete }: HookRowProps) {
  const { id, event, source, scope, match, command, timeoutMs, enabled } = hook
  const [editing, setEditing] = useState(false)
  const name = command ?? source
  return (
    <li data-setting={`hook-${index}`} tabIndex={-1}>
      <p>
        <b>
          {command === undefined ? (
            t.settings.hooks.module
          ) : (
            <code>
              <VisibleText text={command} as="exact" />
            </code>
          )}
        </b>{' '}
        <span className="badge">{t.settings.hooks.scopes[scope]}</span>
        {!enabled && <span className="badge">{t.hookEditor.off}</span>}
      </p>
      <p>
        {t.settings.hooks.events[event]}
        {event !== 'run-end' && (
          <>
            {' · '}
            {match === undefined ? t.settings.hooks.everyCall : t.settings.hooks.aboutCalls}{' '}
            {match !== undefined && (
              <code>
                <VisibleText text={match.join(', ')} as="exact" />
              </code>
            )}
          </>
        )}{' '}
        · {t.settings.hooks.within(timeoutMs < 1000 ? formatDuration(timeoutMs) : formatSeconds(timeoutMs))}
      </p>
      <p className="settings-path">
        <VisibleText text={source} as="name" />
      </p>
      {id !== undefined && !editing && (
        <RowActions
          name={name}
          enabled={enabled}
          onEdit={() => setEditing(true)}
          onToggle={() => onToggle(id)}
          onDelete={() => onDelete(id)}
          deleteTitle={t.hookEditor.deleteTitle}
        >
          <p>
            <code>
              <VisibleText text={name} as="exact" />
            </code>
          </p>
        </RowActions>
      )}
      {id !== undefined && editing && (
        <HookForm
          hook={hook}
          trusted={trusted}
          onCancel={() => setEditing(false)}
          onSave={async (fields) => {
            await onChange(id, fields)
            setEditing(false)
          }}
        />
      )}
    </li>
  )
}
