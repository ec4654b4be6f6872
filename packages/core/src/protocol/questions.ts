import { z } from 'zod'

/** What AskUserQuestion asks, as its input and as the content of its ask. */
export const questionsSchema = z
  .array(
    z.object({
      question: z.string().min(1).max(2000).describe('The whole question'),
      header: z.string().max(60).describe('One or two words for it').default(''),
      options: z
        .array(
          z.object({
            label: z.string().min(1).max(200).describe('In a few words'),
            description: z.string().max(2000).describe('What it means or leads to').default(''),
          }),
        )
        .min(2)
        .max(4)
        .describe('Without "other": the person can always answer in their own words'),
      multiSelect: z.boolean().describe('More than one may be chosen').default(false),
    }),
  )
  .min(1)
  .max(4)

export type Question = z.infer<typeof questionsSchema>[number]

/** The answer to one question: labels of options, words of the person's own, or both. */
export interface QuestionAnswer {
  question: string
  selected: string[]
  text?: string
}
