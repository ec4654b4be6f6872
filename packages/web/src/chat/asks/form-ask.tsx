import { type FieldValue, initialValues, readForm, readUiTree, type UiElement } from '@troupe/protocol'
import { useMemo, useState } from 'react'
import { isRecord } from '../../api/read-fields.ts'
import { isUiTree } from '../../content/form-card.tsx'
import { FormContext, type FormState } from '../../content/ui-fields.tsx'
import { UiView } from '../../content/ui-view.tsx'
import { ValueView } from '../../displays/parts/display-parts.tsx'
import { translateServerText } from '../../texts/server-texts.ts'
import { t } from '../../texts/t.ts'
import { useRetainedState } from '../session/session-hooks.ts'
import { type AskFormProps, DeclineButton } from './ask-forms.tsx'

/** Form of a `JsonRender` ask. Keeps its values while the row is scrolled out of view. */
export function FormAsk({ ask, ...form }: AskFormProps) {
  const { content } = ask
  const read = useMemo(() => readTree(formIn(content)['tree']), [content])
  const given = formIn(content)
  if (read === undefined || 'problem' in read) return <ValueView value={given} />
  const data = isRecord(given['data']) ? given['data'] : {}
  return <Form id={ask.id} root={read.root} data={data} {...form} />
}

function lastButton(element: UiElement): UiElement | undefined {
  if (element.type === 'Button') return element
  for (const child of element.children.toReversed()) {
    const found = typeof child === 'string' ? undefined : lastButton(child)
    if (found !== undefined) return found
  }
  return undefined
}

function readTree(tree: unknown): ReturnType<typeof readUiTree> | undefined {
  return isUiTree(tree) ? readUiTree(tree) : undefined
}

function formIn(content: unknown): Record<string, unknown> {
  return isRecord(content) && isRecord(content['form']) ? content['form'] : {}
}

interface FormProps extends Omit<AskFormProps, 'ask'> {
  id: string
  root: UiElement
  data: Record<string, unknown>
}

function Form({ id, root, data, sending, answer }: FormProps) {
  const [values, setValues] = useRetainedState<Record<string, FieldValue>>(`${id} form`, initialValues(root, data))
  const [problem, setProblem] = useState<FormState['problem']>()
  const last = useMemo(() => lastButton(root), [root])
  const decline = (
    <span className="form-decline">
      <DeclineButton sending={sending} answer={answer} label={t.previews.decline} />
    </span>
  )
  const state: FormState = {
    values,
    problem,
    disabled: sending,
    aside: { after: last?.attributes, content: decline },
    set: (name, value) => {
      setProblem(undefined)
      setValues({ ...values, [name]: value })
    },
    cancel: () => answer({ type: 'answers', answers: { action: 'cancel' } }),
  }
  const submit = (button: string) => {
    const read = readForm(root, values)
    if ('problem' in read) return setProblem({ field: read.field, text: translateServerText(read.problem, 'text') })
    answer({
      type: 'answers',
      answers: { action: 'submit', values: read.values, button: button || undefined },
    })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const { submitter } = event.nativeEvent as SubmitEvent
        if (!sending) submit(submitter instanceof HTMLButtonElement ? submitter.value : '')
      }}
    >
      <FormContext value={state}>
        <UiView root={root} />
      </FormContext>
      {last === undefined && <div className="approval-row">{decline}</div>}
    </form>
  )
}
