import type { Param, ParamValue } from '@troupe/core/protocol'
import type { ModelInfo } from '../api/model-info.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'
import { currentParams } from './param-actions.ts'
import { ParamField } from './param-field.tsx'
import './params-panel.css'

/** One field for each setting that the model has. What is not set is left to the model. */
export function ParamsPanel({ model, params }: { model: ModelInfo; params: readonly Param[] }) {
  const { app } = useWorkspace()
  const values = useApp(currentParams)
  const choose = (name: string, value: ParamValue | undefined) => {
    const { [name]: _, ...others } = values
    void app.chooseParams(value === undefined ? others : { ...others, [name]: value })
  }
  const isSet = params.some(({ name }) => values[name] !== undefined)
  return (
    <div className="params">
      <h2>{t.composer.settingsOf(model.name)}</h2>
      <p className="params-about">{t.composer.settingsAbout}</p>
      {params.map((param) => (
        <ParamField
          key={param.name}
          param={param}
          value={values[param.name]}
          onChoose={(value) => choose(param.name, value)}
        />
      ))}
      <Button disabled={!isSet} onClick={() => void app.chooseParams({})}>
        {t.composer.settingsReset}
      </Button>
    </div>
  )
}
