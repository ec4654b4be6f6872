import type { FieldValue, UiElement } from '@troupe/protocol'
import { type ComponentType, createContext, type ReactNode, use, useId } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { Group, GrowingTextarea, VisibleText } from '../ui/elements.tsx'

export interface FormState {
  values: Readonly<Record<string, FieldValue>>
  problem?: { field: string; text: string } | undefined
  disabled: boolean
  /** Shown right after the button with these attributes. */
  aside?: { after: UiElement['attributes'] | undefined; content: ReactNode }
  set(name: string, value: FieldValue): void
  cancel(): void
}

const nothing: FormState = { values: {}, disabled: true, set: () => undefined, cancel: () => undefined }

export const FormContext = createContext<FormState>(nothing)

/** Outside a form, a field is inert. */
function useForm(): FormState {
  return use(FormContext)
}

export type UiPart = ComponentType<UiPartProps>

/** Props of every component: attributes validated against the catalog, and children. */
interface UiPartProps {
  attributes: UiElement['attributes']
  /** Text content, for components that hold only text. */
  text: string
  children: ReactNode
}

type Attributes = UiElement['attributes']

interface FieldProps {
  id: string
  name: string
  required: boolean
  disabled: boolean
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

/** Label, help text and error around a control. `group` labels several controls together. */
function Field({
  attributes,
  group = false,
  children,
}: {
  attributes: Attributes
  group?: boolean
  children: (props: FieldProps) => ReactNode
}) {
  const id = useId()
  const form = useForm()
  const name = text(attributes, 'name')
  const help = text(attributes, 'help')
  const problem = form.problem?.field === name ? form.problem.text : undefined
  const required = attributes['required'] === true
  const label = (
    <>
      <VisibleText text={text(attributes, 'label')} />
      {required && <span className="made-soft"> ({t.previews.required})</span>}
    </>
  )
  const note = problem ?? (help === '' ? undefined : help)
  const inner = children({
    id,
    name,
    required,
    disabled: form.disabled,
    'aria-invalid': problem !== undefined,
    'aria-describedby': note === undefined ? undefined : `${id}-note`,
  })
  return (
    <div className="made-field">
      {group ? (
        <fieldset>
          <legend>{label}</legend>
          {inner}
        </fieldset>
      ) : (
        <>
          <label htmlFor={id}>{label}</label>
          {inner}
        </>
      )}
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? 'made-soft' : 'made-problem'}>
          <VisibleText text={note} />
        </p>
      )}
    </div>
  )
}

function TextField({ attributes }: { attributes: Attributes }) {
  const { values, set } = useForm()
  const name = text(attributes, 'name')
  return (
    <Field attributes={attributes}>
      {(props) => (
        <input
          {...props}
          type={text(attributes, 'type') || 'text'}
          step={attributes['type'] === 'number' ? 'any' : undefined}
          placeholder={text(attributes, 'placeholder')}
          min={number(attributes, 'min')}
          max={number(attributes, 'max')}
          maxLength={number(attributes, 'maxLength') ?? 20_000}
          autoComplete="off"
          value={String(values[name] ?? '')}
          onChange={(event) => set(name, event.target.value)}
        />
      )}
    </Field>
  )
}

function Choice({ attributes }: { attributes: Attributes }) {
  const { values, set } = useForm()
  const name = text(attributes, 'name')
  const options = optionsIn(attributes)
  const multiple = attributes['multiple'] === true
  const chosen = values[name]
  if (multiple || options.length === 0) {
    const all = Array.isArray(chosen) ? chosen : []
    return <Options attributes={attributes} type="checkbox" chosen={all} onChange={(next) => set(name, next)} />
  }
  return (
    <Field attributes={attributes}>
      {(props) => (
        <select {...props} value={String(chosen ?? '')} onChange={(event) => set(name, event.target.value)}>
          <option value="">{t.previews.choose}</option>
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Options({
  attributes,
  type,
  chosen,
  onChange,
}: {
  attributes: Attributes
  type: 'checkbox' | 'radio'
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}) {
  return (
    <Field attributes={attributes} group>
      {({ id, required, disabled }) =>
        optionsIn(attributes).map(({ value, label }) => (
          <label key={value} className="made-option">
            <input
              type={type}
              name={id}
              disabled={disabled}
              required={required && (type === 'radio' || chosen.length === 0)}
              checked={chosen.includes(value)}
              onChange={(event) => {
                const others = type === 'radio' ? [] : chosen.filter((one) => one !== value)
                onChange(event.target.checked ? [...others, value] : others)
              }}
            />
            <VisibleText text={label} />
          </label>
        ))
      }
    </Field>
  )
}

export const fieldParts: Readonly<Record<string, UiPart>> = {
  // The whole view is one form, because forms cannot nest.
  Form: ({ attributes, children }) => (
    <Group className="made-form" label={text(attributes, 'title') || t.previews.form}>
      {text(attributes, 'title') !== '' && (
        <div className="made-section-title">
          <VisibleText text={text(attributes, 'title')} />
        </div>
      )}
      <div className="made-stack">{children}</div>
    </Group>
  ),
  TextField: ({ attributes }) => <TextField attributes={attributes} />,
  TextArea: function TextArea({ attributes }) {
    const { values, set } = useForm()
    const name = text(attributes, 'name')
    return (
      <Field attributes={attributes}>
        {(props) => (
          <GrowingTextarea
            {...props}
            rows={Math.min(12, Math.max(2, number(attributes, 'rows') ?? 3))}
            placeholder={text(attributes, 'placeholder')}
            maxLength={number(attributes, 'maxLength') ?? 20_000}
            value={String(values[name] ?? '')}
            onChange={(event) => set(name, event.target.value)}
          />
        )}
      </Field>
    )
  },
  Select: ({ attributes }) => <Choice attributes={attributes} />,
  Radio: function Radio({ attributes }) {
    const { values, set } = useForm()
    const name = text(attributes, 'name')
    const chosen = values[name]
    return (
      <Options
        attributes={attributes}
        type="radio"
        chosen={typeof chosen === 'string' ? [chosen] : []}
        onChange={([one]) => set(name, one ?? '')}
      />
    )
  },
  Checkbox: function Checkbox({ attributes }) {
    const { values, set, disabled } = useForm()
    const name = text(attributes, 'name')
    return (
      <label className="made-option">
        <input
          type="checkbox"
          disabled={disabled}
          required={attributes['required'] === true}
          checked={values[name] === true}
          onChange={(event) => set(name, event.target.checked)}
        />
        <VisibleText text={text(attributes, 'label')} />
      </label>
    )
  },
  Slider: function Slider({ attributes }) {
    const { values, set } = useForm()
    const name = text(attributes, 'name')
    const min = number(attributes, 'min') ?? 0
    const value = Number(values[name] ?? min)
    return (
      <Field attributes={attributes}>
        {(props) => (
          <span className="made-slider">
            <input
              {...props}
              type="range"
              min={min}
              max={number(attributes, 'max') ?? 100}
              step={number(attributes, 'step') ?? 1}
              value={value}
              onChange={(event) => set(name, Number(event.target.value))}
            />
            <output htmlFor={props.id}>{value}</output>
          </span>
        )}
      </Field>
    )
  },
  Button: function MadeButton({ attributes }) {
    const { disabled, cancel, aside } = useForm()
    const kind = attributes['kind'] ?? (attributes['action'] === 'submit' ? 'primary' : 'plain')
    const label = <VisibleText text={text(attributes, 'label')} as="name" />
    return (
      <>
        {attributes['action'] === 'submit' ? (
          <Button type="submit" kind={kind as 'primary'} disabled={disabled} value={text(attributes, 'value')}>
            {label}
          </Button>
        ) : (
          <Button kind={kind as 'plain'} disabled={disabled} onClick={cancel}>
            {label}
          </Button>
        )}
        {aside?.after === attributes && aside.content}
      </>
    )
  },
}

function text(attributes: Attributes, name: string): string {
  const value = attributes[name]
  return typeof value === 'string' ? value : ''
}

function number(attributes: Attributes, name: string): number | undefined {
  const value = attributes[name]
  return typeof value === 'number' ? value : undefined
}

function optionsIn(attributes: Attributes): readonly { value: string; label: string }[] {
  return (attributes['options'] ?? []) as readonly { value: string; label: string }[]
}
