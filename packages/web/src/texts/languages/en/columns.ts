import { pluralize } from './plural.ts'

export const columnTexts = {
  columns: {
    compare: 'Compare models',
    compareAbout: (most: number) => `Select 2 to ${most} models. Each answers your next message.`,
    most: (most: number) => `You can compare up to ${most} models.`,
    stop: 'Stop comparing',
    shown: (count: number) => pluralize(count, 'model'),
    picked: (count: number, names: string) => `${pluralize(count, 'model')} to compare: ${names}`,
    first: 'Continue with one of the answers, then send your next message.',
  },
  feedback: {
    up: 'Good answer',
    down: 'Bad answer',
  },
}

export type ColumnTexts = typeof columnTexts
