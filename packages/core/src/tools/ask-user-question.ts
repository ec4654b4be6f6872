import { isAnswered, type Question, type QuestionAnswer, questionsSchema, readAnswers } from '@troupe/protocol'
import { z } from 'zod'
import { defineTool } from '../tool/tool.ts'

export default defineTool({
  description: `Asks the user one to four questions and waits for the answers. Use it only for decisions the user has to make, not for facts you can find out yourself. Do not use it for approvals; those are requested automatically.`,
  input: z.object({ questions: questionsSchema }),
  // A write, so calls keep their order. Questions of one step are asked together. They change nothing and can be asked
  // again.
  readOnly: false,
  concurrent: true,
  needsApproval: false,
  recover: 'rerun',
  deferred: true,
  listedIn: 'plan',
  group: 'system',
  title: ({ questions }) => (questions.length === 1 ? (questions[0] as Question).question : 'Questions'),
  validate({ questions }) {
    if (isRepeated(questions.map(({ question }) => question)))
      return 'Two questions are identical. Ask each question once.'
    const blurred = questions.find(({ options }) => isRepeated(options.map(({ label }) => label)))
    return blurred && `Two options of "${blurred.question}" have the same label. Give each option a different label.`
  },
  async execute({ questions }, ctx) {
    const title = questions.length === 1 ? (questions[0] as Question).question : `${questions.length} questions`
    const answer = await ctx.ask({ kind: 'question', title, content: { questions } })
    if (answer.type === 'deny')
      throw new Error(
        answer.remark === undefined
          ? 'The user declined to answer.'
          : `The user declined to answer and said: ${answer.remark}`,
      )
    const answers = answer.type === 'answers' ? readAnswers(questions, answer.answers) : 'The answer is empty.'
    if (typeof answers === 'string') throw new Error(`The answer is invalid: ${answers} Ask again if you need it.`)
    return { answers }
  },
  toModel: ({ answers }) => answers.map(answerLine).join('\n'),
  display: ({ answers }) => ({
    title: answers.length === 1 ? (answers[0] as QuestionAnswer).question : 'Questions',
    summary:
      answers.length === 1 ? answerText(answers[0] as QuestionAnswer) : `${answers.filter(isAnswered).length} answered`,
  }),
})

function answerLine(answer: QuestionAnswer): string {
  return `${answer.question}\n→ ${answerText(answer)}`
}

function answerText({ selected, text }: QuestionAnswer): string {
  const words = [
    ...selected,
    ...(text === undefined ? [] : [selected.length > 0 ? `in their own words: ${text}` : text]),
  ]
  return words.length === 0 ? '(not answered)' : words.join('; ')
}

function isRepeated(texts: readonly string[]): boolean {
  return new Set(texts.map((text) => text.trim())).size < texts.length
}
