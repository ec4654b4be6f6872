import { expect, test } from 'vitest'
import { readQuestions } from './ask-forms.tsx'

test('questions are read from any content of an ask', () => {
  const question = {
    question: 'Which?',
    header: 'Choice',
    multiSelect: true,
    options: [{ label: 'A', description: 'a' }],
  }
  expect(readQuestions({ questions: [question] })).toEqual([question])
  expect(readQuestions({ questions: [{ question: 'Which?', options: [{ label: 'A' }, 7, { label: 8 }] }] })).toEqual([
    { question: 'Which?', header: '', multiSelect: false, options: [{ label: 'A', description: '' }] },
  ])
  for (const nothing of [
    undefined,
    null,
    'text',
    7,
    [],
    {},
    { questions: 'no' },
    { questions: [null, { question: 1 }] },
  ])
    expect(readQuestions(nothing)).toEqual([])
})
