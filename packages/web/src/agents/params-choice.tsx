import { modelParams } from '@troupe/core/protocol'
import type { ParamValue, ParamValues } from '@troupe/core/protocol'
import { X } from 'lucide-react'
import { ParamField } from '../composer/param-field.tsx'
import { t } from '../texts/t.ts'
import { useApp } from '../workspace.ts'
import '../composer/params-panel.css'

export interface ParamsChoiceProps {
  /** `provider/model`; empty: the caller's, so the settings of the default model are offered. */
  model: string
  params: ParamValues
  problem: string | undefined
  onChange: (params: ParamValues) => void
}

/** How its model is set. What it has and this model does not know can be taken away. */
export function ParamsChoice({ model, params, problem, onChange }: ParamsChoiceProps) {
  const known = useApp((state) => {
    const wanted = model === '' ? state.defaultModel : model
    return state.models.find(({ ref }) => ref === wanted)
  })
  const offered = known === undefined ? [] : modelParams(known)
  const others = Object.keys(params).filter((name) => !offered.some((param) => param.name === name))
  const choose = (name: string, value: ParamValue | undefined) => {
    const { [name]: _, ...rest } = params
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return (
    <fieldset className="agent-choice">
      <legend>{t.agents.params}</legend>
      <p className="agent-hint">{offered.length === 0 ? t.agents.paramsNone : t.agents.paramsAbout}</p>
      <div className="agent-params">
        {offered.map((param) => (
          <ParamField
            key={param.name}
            param={param}
            value={params[param.name]}
            onChoose={(value) => choose(param.name, value)}
          />
        ))}
      </div>
      {others.map((name) => (
        <button
          key={name}
          type="button"
          className="agent-other"
          aria-label={t.agents.removeTool(name)}
          onClick={() => choose(name, undefined)}
        >
          {name}: {String(params[name])}
          <X aria-hidden />
        </button>
      ))}
      <p className="settings-failure">{problem}</p>
    </fieldset>
  )
}
