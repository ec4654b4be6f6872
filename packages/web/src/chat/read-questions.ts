import type { Question } from '@troupe/core/protocol'
import { isRecord, recordsIn, textIn } from '../displays/parts/read-fields.ts'

/** The questions of an ask, as far as it has any that can be shown as such. */
export function readQuestions(content: unknown): Question[] {
  if (!isRecord(content)) return []
  return recordsIn(content['questions']).flatMap((given) => {
    const question = textIn(given['question'])
    if (question === undefined) return []
    return {
      question,
      header: textIn(given['header']) ?? '',
      multiSelect: given['multiSelect'] === true,
      options: recordsIn(given['options']).flatMap((option) => {
        const label = textIn(option['label'])
        return label === undefined ? [] : { label, description: textIn(option['description']) ?? '' }
      }),
    }
  })
}
