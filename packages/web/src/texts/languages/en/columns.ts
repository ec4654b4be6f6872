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

export const feedbackTexts = {
  feedback: {
    up: 'Good answer',
    down: 'Bad answer',
    whyGood: 'What was good?',
    whyBad: 'What was wrong?',
    reasons: 'Reasons',
    reason: {
      correct: 'Correct',
      clear: 'Clear',
      followed: 'Followed instructions',
      incorrect: 'Not correct',
      incomplete: 'Not complete',
      'too-long': 'Too long',
      'not-followed': 'Did not follow instructions',
      'bad-tool-use': 'Used tools badly',
      other: 'Other',
    },
    text: 'Tell more (optional)',
    stays: 'Stored on this computer. Never sent to a model.',
    save: 'Save',
    remove: 'Remove rating',
  },
}

export type FeedbackTexts = typeof feedbackTexts
export type ColumnTexts = typeof columnTexts
