import { useCallback, useState } from 'react'
import { groupTools, includesName, withName } from '../../agents/tool-groups.ts'
import type { ConfigInfo } from '../../api/config-info.ts'
import { t } from '../../texts/t.ts'
import { Segments } from '../../ui/segments.tsx'
import { useWorkspace } from '../../workspace.ts'
import { ServerDataStatus } from '../asked-note.tsx'
import { useServerData } from '../use-asked.ts'
import { ConfigForm } from './config-form.tsx'
import type { EditableConfig } from './use-config.ts'

const choices = ['all', 'some'] as const

/** Which tools there are for models at all. Those that are chosen and not there, as of a server that is away, stay. */
export function ToolsForm({ config, save, saved }: Pick<EditableConfig, 'save' | 'saved'> & { config: ConfigInfo }) {
  const { api } = useWorkspace()
  const asked = useServerData(useCallback(() => api.tools(), [api]))
  const tools = asked.value?.tools ?? []
  const [edited, setEdited] = useState<string[] | null | undefined>()
  const chosen = edited === undefined ? config.useTools : edited
  const known = tools.map(({ name }) => name)
  const missing = (chosen ?? []).filter((name) => asked.value !== null && !includesName(known, name))
  const submit = async () => {
    if (await save('tools', { useTools: chosen })) setEdited(undefined)
  }
  return (
    <ConfigForm
      id="tools"
      title={t.settings.general.tools}
      about={t.settings.general.toolsAbout}
      isReady={edited !== undefined}
      saved={saved}
      onSave={submit}
    >
      <Segments
        label={t.settings.general.tools}
        options={choices.map((value) => ({ value, label: t.settings.general.toolsChoices[value] }))}
        value={chosen === null ? 'all' : 'some'}
        onChange={(choice) => setEdited(choice === 'all' ? null : (config.useTools ?? known))}
      />
      {chosen !== null && <ServerDataStatus asked={asked} />}
      {chosen !== null && (
        <div className="settings-columns">
          {groupTools(tools).map((group) => (
            <fieldset key={group.name}>
              <legend>{group.name}</legend>
              {group.tools.map(({ name, description }) => (
                <Tool key={name} name={name} title={description} chosen={chosen} onChange={setEdited} />
              ))}
            </fieldset>
          ))}
          {missing.map((name) => (
            <Tool
              key={name}
              name={name}
              label={t.settings.general.missingTool(name)}
              chosen={chosen}
              onChange={setEdited}
            />
          ))}
        </div>
      )}
    </ConfigForm>
  )
}

function Tool(props: {
  name: string
  label?: string
  title?: string
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}) {
  const { name, label = name, title, chosen, onChange } = props
  return (
    <label className="settings-check-line" title={title}>
      <input
        type="checkbox"
        checked={includesName(chosen, name)}
        onChange={({ target }) => onChange(withName(chosen, name, target.checked))}
      />
      {label}
    </label>
  )
}
