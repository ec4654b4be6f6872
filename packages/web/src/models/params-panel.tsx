import { type Param, paramProblem, type ParamValue } from '@troupe/protocol'
import { RotateCcw } from 'lucide-react'
import { useId, useState } from 'react'
import { type ModelInfo, modelName } from '../api/models.ts'
import { t } from '../texts/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { currentParams } from '../workspace/session-choices.ts'
import { useApp, useWorkspace } from '../workspace/workspace.ts'
import './params-panel.css'

/** One field per model parameter. Unset parameters use the model's default. */
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
      <h2>{t.composer.settingsOf(modelName(model))}</h2>
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

interface ParamFieldProps {
  param: Param
  value: ParamValue | undefined
  /** Undefined selects the model's default. */
  onChoose: (value: ParamValue | undefined) => void
}

export function ParamField({ param, value, onChoose }: ParamFieldProps) {
  const id = useId()
  const { name } = param
  const label = t.composer.setting[name] ?? param.label ?? name
  const note = t.composer.settingNote[name] ?? param.note
  const isSet = value !== undefined
  return (
    <div className="param">
      <label htmlFor={id}>{label}</label>
      {isSet ? (
        <IconButton label={t.composer.resetOne(label)} onClick={() => onChoose(undefined)}>
          <RotateCcw />
        </IconButton>
      ) : (
        <span className="param-left">{t.composer.modelDefault}</span>
      )}
      <div className="param-input">
        <Input id={id} label={label} param={param} value={value} onChoose={onChoose} />
      </div>
      {note !== undefined && (
        <p id={`${id}-note`} className="param-note">
          {note}
        </p>
      )}
    </div>
  )
}

function Input({ id, label, param, value, onChoose }: ParamFieldProps & { id: string; label: string }) {
  switch (param.type) {
    case 'choice':
      return (
        <select
          id={id}
          value={value === undefined ? '' : String(value)}
          onChange={({ target }) => onChoose(target.value || undefined)}
        >
          <option value="">{t.composer.modelDefault}</option>
          {param.options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      )
    case 'switch':
      return (
        <input id={id} type="checkbox" checked={value === true} onChange={({ target }) => onChoose(target.checked)} />
      )
    case 'texts':
      return <Texts id={id} param={param} value={value} onChoose={onChoose} />
    default:
      return <NumberInput id={id} label={label} param={param} value={value} onChoose={onChoose} />
  }
}

type NumberParam = Extract<Param, { type: 'number' | 'integer' }>

/** Applies a valid value on blur or Enter. */
function NumberInput({
  id,
  label,
  param,
  value,
  onChoose,
}: ParamFieldProps & { id: string; label: string; param: NumberParam }) {
  const { min, max } = param
  const step = param.type === 'integer' ? 1 : (param.step ?? 0.01)
  /** Null shows the stored value. */
  const [edited, setTyped] = useState<string | null>(null)
  const typed = edited ?? textOf(value)
  const number = typed.trim() === '' ? undefined : Number(typed)
  const problem = number === undefined ? undefined : paramProblem(param, number)
  const take = () => {
    if (problem !== undefined || edited === null) return
    setTyped(null)
    if (number !== value) onChoose(number)
  }
  // A slider is too coarse for a large range.
  const hasSlider = param.type === 'number' && max - min <= 10
  return (
    <>
      {hasSlider && (
        <input
          type="range"
          aria-label={label}
          min={min}
          max={max}
          step={step}
          value={number ?? param.default ?? (min + max) / 2}
          data-unset={number === undefined ? '' : undefined}
          onChange={({ target }) => setTyped(target.value)}
          onPointerUp={take}
          onKeyUp={take}
          onBlur={take}
        />
      )}
      <input
        id={id}
        type="number"
        inputMode="decimal"
        min={min}
        max={max}
        step={step}
        value={typed}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        placeholder={`${min} – ${max.toLocaleString()}`}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => {
          if (key === 'Enter') take()
        }}
      />
    </>
  )
}

/** One text per line. */
function Texts({
  id,
  param,
  value,
  onChoose,
}: ParamFieldProps & { id: string; param: Extract<Param, { type: 'texts' }> }) {
  const [edited, setTyped] = useState<string | null>(null)
  const typed = edited ?? linesOf(value)
  const texts = typed.split('\n').filter((line) => line !== '')
  return (
    <textarea
      id={id}
      rows={2}
      value={typed}
      placeholder={t.composer.stopHint}
      aria-invalid={texts.length > param.max}
      aria-describedby={`${id}-note`}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() => {
        if (edited === null || texts.length > param.max) return
        setTyped(null)
        if (typed !== linesOf(value)) onChoose(texts.length === 0 ? undefined : texts)
      }}
    />
  )
}

function textOf(value: ParamValue | undefined): string {
  return value === undefined ? '' : String(value)
}

function linesOf(value: ParamValue | undefined): string {
  return Array.isArray(value) ? value.join('\n') : ''
}
