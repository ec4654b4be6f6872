import {
  elementsIn,
  fieldName,
  fieldsIn,
  type FormAnswer,
  isForm,
  readForm,
  readUiTree,
  uiComponents,
  type UiElement,
  uiLimits,
} from '@troupe/protocol'
import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

const element = z.strictObject({
  type: z.enum(Object.keys(uiComponents) as [string, ...string[]]),
  props: z.record(z.string(), z.unknown()).optional(),
  children: z.array(z.string().max(20_000)).max(500).describe('Ids of other elements, or text').optional(),
})

export default defineTool({
  description: `Shows the user a page or a form built from components, and waits until a form is filled in. Components and their props:
${catalogue()}
Fields need a "name" and a "label"; "options" is a list of strings or of {value, label}. A form needs a Button with the action "submit" and can have one with "cancel". "data" prefills fields. Without fields and buttons, the page is only shown.
The result is {action: "submit", values} or {action: "cancel"}. Use AskUserQuestion for plain choices.`,
  input: z.object({
    title: z.string().max(200).describe('What the page is about').optional(),
    tree: z.strictObject({
      root: z.string().max(200).describe('The id of the root element'),
      elements: z.record(z.string().max(200), element),
    }),
    data: z.record(z.string(), z.unknown()).describe('Field values by name').optional(),
  }),
  // Like AskUserQuestion: changes nothing and can be asked again.
  readOnly: false,
  concurrent: true,
  needsApproval: false,
  recover: 'rerun',
  deferred: true,
  group: 'preview',
  title: ({ title }) => title ?? 'Form',
  validate(input) {
    if (JSON.stringify(input).length > uiLimits.characters)
      return `The tree has more than ${uiLimits.characters} characters. Show less at a time.`
    const read = readUiTree(input.tree)
    return 'problem' in read ? read.problem : formProblem(read.root)
  },
  async execute({ title, tree, data }, ctx): Promise<FormAnswer | { ok: true }> {
    const read = readUiTree(tree)
    if ('problem' in read) throw new Error(read.problem)
    if (!isForm(read.root)) return { ok: true }
    const form = { tree, data }
    const answer = await ctx.ask({ kind: 'question', title: title ?? 'Form', content: { form } })
    if (answer.type === 'deny')
      throw new Error(
        answer.remark === undefined
          ? 'The user declined to answer.'
          : `The user did not fill in the form and said: ${answer.remark}`,
      )
    if (answer.type !== 'answers') throw new Error('The answer does not belong to a form. Ask again if you need it.')
    return readAnswer(read.root, answer.answers)
  },
  toModel: (output) => JSON.stringify(output),
  display: (output, { title }) => ({
    title: title ?? 'Form',
    summary: 'action' in output ? (output.action === 'submit' ? 'sent' : 'canceled') : undefined,
  }),
})

/** Reads `{action, values}` as sent by the page. A program may also send the fields directly. */
function readAnswer(root: UiElement, given: Record<string, unknown>): FormAnswer {
  if (given['action'] === 'cancel') return { action: 'cancel' }
  const { action, button, values = action === undefined ? given : {} } = given
  if (action !== undefined && action !== 'submit')
    throw new Error('The answer is invalid: it is neither "submit" nor "cancel".')
  const [field, ...more] = fieldsIn(root)
  const fields = Object(values) as Record<string, unknown>
  // A single answer belongs to a single field.
  const named =
    field !== undefined && more.length === 0 && 'answer' in fields ? { [fieldName(field)]: fields['answer'] } : {}
  const read = readForm(root, { ...fields, ...named })
  if ('problem' in read) throw new Error(`The answer is invalid: ${read.problem} Ask again if you need it.`)
  return { action: 'submit', values: read.values, button: typeof button === 'string' ? button : undefined }
}

function formProblem(root: UiElement): string | undefined {
  const names = fieldsIn(root).map(fieldName)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `Two fields have the name "${twice}". Give each field a different name.`
  const submits = elementsIn(root).some(
    ({ type, attributes }) => type === 'Button' && attributes['action'] === 'submit',
  )
  return names.length > 0 && !submits ? 'The form has no Button with the action "submit".' : undefined
}

function catalogue(): string {
  const own = Object.entries(uiComponents).filter(([name]) => /^[A-Z]/.test(name))
  const lines = own.map(([name, { attributes }]) => {
    const names = Object.entries(attributes).map(([attribute, kind]) =>
      typeof kind === 'string' ? attribute : `${attribute}: ${kind.join('|')}`,
    )
    return names.length === 0 ? name : `${name}(${names.join(', ')})`
  })
  return `${lines.join(', ')}.`
}
