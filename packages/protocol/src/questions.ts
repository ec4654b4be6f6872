import { z } from 'zod'

export const questionsSchema = z
  .array(
    z.object({
      question: z.string().min(1).max(2000).describe('The full question'),
      header: z.string().max(60).describe('A label of one or two words').default(''),
      options: z
        .array(
          z.object({
            label: z.string().min(1).max(200).describe('A short label'),
            description: z.string().max(2000).describe('What this option means').default(''),
          }),
        )
        .min(2)
        .max(4)
        .describe('Do not add "Other"; the user can always answer in their own words'),
      multiSelect: z.boolean().describe('Allow more than one choice').default(false),
    }),
  )
  .min(1)
  .max(4)

export type Question = z.infer<typeof questionsSchema>[number]

export interface QuestionAnswer {
  question: string
  selected: string[]
  text?: string
}

/**
 * Parses the user's answers. Keys are the question, its header or its 0-based number; a single question also accepts
 * `answer`. Each value is an option label, free text, a list of those, or `{selected, text}`. Some questions may be
 * left unanswered, but not all. Returns a string that describes the problem if the answers are invalid.
 */
export function readAnswers(questions: readonly Question[], given: Record<string, unknown>): QuestionAnswer[] | string {
  const unknown = new Set(Object.keys(given))
  const answers: QuestionAnswer[] = []
  for (const [index, question] of questions.entries()) {
    const name = answerNames(questions, index).find((one) => given[one] !== undefined)
    if (name !== undefined) unknown.delete(name)
    const said = parseQuestionAnswer(question, name === undefined ? undefined : given[name])
    if (typeof said === 'string') return said
    answers.push({ question: question.question, ...said })
  }
  const [first] = unknown
  if (first !== undefined) return `There is no question "${first.slice(0, 200)}".`
  return answers.some(isAnswered) ? answers : 'No question was answered.'
}

export function isAnswered({ selected, text }: Pick<QuestionAnswer, 'selected' | 'text'>): boolean {
  return selected.length > 0 || text !== undefined
}

function answerNames(questions: readonly Question[], index: number): string[] {
  const { question, header } = questions[index] as Question
  const isOnlyHeader = header !== '' && questions.filter((one) => one.header === header).length === 1
  return [question, ...(isOnlyHeader ? [header] : []), String(index), ...(questions.length === 1 ? ['answer'] : [])]
}

const maxAnswerLength = 20_000

function parseQuestionAnswer(question: Question, given: unknown): Omit<QuestionAnswer, 'question'> | string {
  const { selected = [], text = [] } = isRecord(given) ? given : { selected: given }
  const words = [...toList(selected), ...toList(text)]
  if (words.some((word) => typeof word !== 'string'))
    return `"${question.question}" must be answered with text or labels.`
  const said = [...new Set((words as string[]).map((word) => word.trim()).filter((word) => word !== ''))]
  const labels = question.options.map(({ label }) => label).filter((label) => said.includes(label))
  const own = said.filter((word) => !labels.includes(word)).join('\n')
  if (own.length > maxAnswerLength)
    return `The answer to "${question.question}" is longer than ${maxAnswerLength} characters.`
  if (labels.length > 1 && !question.multiSelect) return `Only one option of "${question.question}" can be chosen.`
  return { selected: labels, text: own || undefined }
}

function toList(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}

function isRecord(value: unknown): value is { selected?: unknown; text?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
