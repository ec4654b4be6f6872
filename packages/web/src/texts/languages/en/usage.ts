import { pluralize } from './plural.ts'

/** English texts of the usage section. */
export const usageTexts = {
  usage: {
    period: 'Period',
    days: (days: number) => `${days} days`,
    total: 'Total',
    totalText: (cost: string, tokens: string, calls: number) =>
      `${cost} for ${tokens} tokens in ${pluralize(calls, 'model call')}`,
    about:
      'All chats and sub-agents in all folders, and images, videos and speech. Costs are estimates from public prices.',
    none: 'Nothing used in this period.',
    chart: 'Cost per day',
    chartTokens: 'Tokens per day',
    bar: (day: string, cost: string, tokens: string) => `${day}: ${cost}, ${tokens} tokens`,
    by: 'Group by',
    groups: { day: 'Day', model: 'Model', folder: 'Folder' },
    table: 'Usage',
    calls: 'Calls',
    input: 'Input',
    cached: 'From cache',
    output: 'Output',
    cost: 'Cost',
    unknown: 'unknown',
    plusUnknown: (cost: string) => `${cost} + unknown`,
    unpriced: (tokens: string, models: string) =>
      `The price of ${tokens} tokens is unknown, so they are not in the cost: ${models}.`,
    unpricedCalls: (models: string) => `The price of these calls is unknown, so they are not in the cost: ${models}.`,
    budget: 'Budget',
    budgetWords: 'limit stop warn spending cap day month raise',
    budgetAbout:
      'You get a warning at 80%. At 100%, Troupe sends nothing more to paid models until you raise the budget or the period ends. Your messages are kept. This includes images, videos, dictation and reading aloud by a model. Models without a known price are stopped as well, but what they cost before cannot be counted.',
    perDay: 'Per day (US$)',
    perMonth: 'Per month (US$)',
    noBudget: 'no limit',
    notAmount: 'Enter an amount greater than 0.',
    spent: {
      day: (spent: string, limit: string) => `${spent} of ${limit} used today`,
      month: (spent: string, limit: string) => `${spent} of ${limit} used this month`,
    },
    stopped: 'Used up: paid models are stopped.',
    near: 'Nearly used up.',
  },
}
