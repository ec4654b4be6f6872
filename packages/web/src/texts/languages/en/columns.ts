import { pluralize } from './plural.ts'

export const columnTexts = {
  columns: {
    compare: 'Compare models',
    compareAbout: (most: number) => `Select 2 to ${most} models. Each answers your next message.`,
    most: (most: number) => `You can compare up to ${most} models.`,
    stop: 'Stop comparing',
    shown: (count: number) => pluralize(count, 'model'),
    picked: (names: string) => `Models to compare: ${names}`,
    label: (count: number) => `Answers of ${count} models`,
    column: (position: number, name: string, status: string) => `Answer ${position}: ${name}, ${status}`,
    tab: (name: string, status: string) => `${name}, ${status}`,
    note: 'Changes to files need your approval until you continue with one answer.',
    keep: 'Keep comparing',
    keepAbout: 'Send the next message to these models again',
    continue: 'Continue with this answer',
    stopOne: (name: string) => `Stop ${name}`,
    retry: (name: string) => `Answer again with ${name}`,
    details: 'Details',
    model: 'Model',
    time: 'Time',
    tokens: 'Tokens',
    cost: 'Cost',
    first: 'Continue with one of the answers, then send your next message.',
    status: {
      writing: 'writing',
      waiting: 'needs your approval',
      done: 'finished',
      failed: 'failed',
      stopped: 'stopped',
      loading: 'loading',
      missing: 'deleted',
    },
    said: (name: string, status: string) => `${name}: ${status}.`,
    allDone: 'All answers are finished. Continue with one of them.',
  },
}

export type ColumnTexts = typeof columnTexts
