import { modelParams, type ParamValue, type ParamValues } from '@troupe/protocol'
import { X } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { modelName } from '../api/models.ts'
import { toErrorInfo } from '../api/request.ts'
import type { AgentDefinitionBody, AgentInfo, ToolInfo } from '../api/session-types.ts'
import '../models/params-panel.css'
import { ParamField } from '../models/params-panel.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/elements.tsx'
import { useApp } from '../workspace/workspace.ts'
import { DelegateChoice, ToolChoice } from './agent-choices.tsx'
import {
  type AgentDraft,
  type AgentField,
  definitionFromDraft,
  fieldErrors,
  missingFields,
  useStoredDraft,
} from './agent-draft.ts'

interface AgentFormProps {
  initial: AgentDraft
  /** Storage key of the unsaved draft. */
  keptAs: string
  /** True if the name is fixed. */
  isNamed?: boolean
  tools: readonly ToolInfo[]
  others: readonly AgentInfo[]
  onCancel: () => void
  /** Throws the server's validation error. */
  onSave: (name: string, body: Omit<AgentDefinitionBody, 'enabled'>) => Promise<void>
}

/** Edits a workspace agent. Errors appear at their fields, and the draft survives closing the dialog. */
export function AgentForm({ initial, keptAs, isNamed = false, tools, others, onCancel, onSave }: AgentFormProps) {
  const { draft, setDraft, isBack, forget } = useStoredDraft(keptAs, initial)
  const [problems, setProblems] = useState<Partial<Record<AgentField | 'form', string>>>({})
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const models = useApp((state) => state.models)
  const set = (change: Partial<AgentDraft>) => {
    setDraft({ ...draft, ...change })
    const left = Object.entries(problems).filter(([field]) => !(field in change))
    setProblems(Object.fromEntries(left))
  }
  const refuse = (found: typeof problems) => {
    flushSync(() => setProblems(found))
    const wrong = form.current?.querySelector<HTMLElement>(
      '[aria-invalid=true], fieldset:has(.settings-failure:not(:empty))',
    )
    wrong?.scrollIntoView({ block: 'nearest' })
    wrong?.focus()
  }
  const save = async () => {
    const missing = missingFields(draft)
    if (Object.keys(missing).length > 0) return refuse(missing)
    setProblems({})
    setBusy(true)
    try {
      await onSave(draft.name.trim(), definitionFromDraft(draft))
      forget()
    } catch (error) {
      setBusy(false)
      refuse(fieldErrors(toErrorInfo(error)))
    }
  }
  const words = draft.systemPrompt.length
  return (
    <form
      ref={form}
      className="agent-form"
      // Discarded drafts must not come back.
      onReset={forget}
      aria-label={isNamed ? t.agents.named(initial.name) : t.agents.newAgent}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void save()
      }}
    >
      {isBack && <p className="settings-outcome">{t.agents.changesRestored}</p>}
      {!isNamed && (
        <Field label={t.agents.name} problem={problems.name} hint={t.agents.nameHint}>
          {(field) => (
            <input
              {...field}
              value={draft.name}
              maxLength={64}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              placeholder="reviewer"
              onChange={(event) => set({ name: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field label={t.agents.purpose} problem={problems.description} hint={t.agents.purposeHint}>
        {(field) => (
          <input
            {...field}
            value={draft.description}
            maxLength={1024}
            placeholder={t.agents.purposeExample}
            onChange={(event) => set({ description: event.target.value })}
          />
        )}
      </Field>
      <Field label={t.agents.prompt} problem={problems.systemPrompt} hint={t.agents.promptHint(Math.ceil(words / 4))}>
        {(field) => (
          <GrowingTextarea
            {...field}
            className="agent-prompt-field"
            value={draft.systemPrompt}
            placeholder={t.agents.promptExample}
            onChange={(event) => set({ systemPrompt: event.target.value })}
          />
        )}
      </Field>
      <ToolChoice
        chosen={draft.tools}
        tools={tools}
        problem={problems.tools}
        onChange={(chosen) => set({ tools: chosen })}
      />
      <DelegateChoice
        delegates={draft.delegates}
        allowed={draft.allowed}
        others={others}
        problem={problems.allowed}
        onChange={set}
      />
      <div className="agent-limits">
        <Field label={t.agents.model} problem={problems.model}>
          {(field) => (
            <select {...field} value={draft.model} onChange={(event) => set({ model: event.target.value })}>
              <option value="">{t.agents.sameAsCaller}</option>
              {draft.model !== '' && !models.some(({ ref }) => ref === draft.model) && (
                <option value={draft.model}>{t.agents.unavailable(draft.model)}</option>
              )}
              {models.map((model) => (
                <option key={model.ref} value={model.ref}>
                  {modelName(model)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.agents.maxSteps} problem={problems.maxSteps}>
          {(field) => (
            <input
              {...field}
              type="number"
              min={1}
              max={1000}
              value={draft.maxSteps}
              placeholder={t.agents.noLimit}
              onChange={(event) => set({ maxSteps: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.agents.maxDepth} problem={problems.maxDepth}>
          {(field) => (
            <input
              {...field}
              type="number"
              min={1}
              max={20}
              value={draft.maxDepth}
              placeholder="4"
              onChange={(event) => set({ maxDepth: event.target.value })}
            />
          )}
        </Field>
      </div>
      <ParamsChoice
        model={draft.model}
        params={draft.params}
        problem={problems.params}
        onChange={(params) => set({ params })}
      />
      <div className="dialog-buttons agent-form-foot">
        <p className="settings-failure" role="alert">
          {problems.form ?? (Object.keys(problems).length > 0 ? t.agents.notSaved : '')}
        </p>
        <Button
          onClick={() => {
            forget()
            onCancel()
          }}
        >
          {t.ui.cancel}
        </Button>
        <Button type="submit" kind="primary" disabled={busy}>
          {t.ui.save}
        </Button>
      </div>
    </form>
  )
}

interface FieldProps {
  label: string
  problem: string | undefined
  hint?: string
  children: (field: { id: string; 'aria-invalid': boolean; 'aria-describedby': string }) => ReactNode
}

function Field({ label, problem, hint, children }: FieldProps) {
  const id = useId()
  const aboutId = useId()
  return (
    <div className="agent-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': aboutId })}
      <p id={aboutId} className={problem === undefined ? 'agent-hint' : 'settings-failure'}>
        {problem ?? hint}
      </p>
    </div>
  )
}

interface ParamsChoiceProps {
  /**
   * `provider/model`. If empty, the agent uses the caller's model, and the form offers the default model's parameters.
   */
  model: string
  params: ParamValues
  problem: string | undefined
  onChange: (params: ParamValues) => void
}

/** Model parameters. Parameters that this model does not support can be removed. */
function ParamsChoice({ model, params, problem, onChange }: ParamsChoiceProps) {
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
