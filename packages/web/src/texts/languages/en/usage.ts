import { pluralize } from './plural.ts'

/** English texts of the usage section. */
export const usageTexts = {
  usage: {
    period: 'Period',
    days: (days: number) => `${days} days`,
    total: 'Total',
    totalText: (cost: string, tokens: string, calls: number) =>
      `${cost === '' ? '' : `${cost} for `}${tokens} tokens in ${pluralize(calls, 'model call')}`,
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
      `${tokens} tokens aren’t included in the cost, because their price is unknown: ${models}.`,
    unpricedCalls: (models: string) =>
      `Some calls aren’t included in the cost, because their price is unknown: ${models}.`,
    budget: 'Budget',
    budgetWords: 'limit stop warn spending cap day month raise',
    budgetAbout:
      'Troupe warns you at 80%. At 100%, it stops using paid models until you raise the budget or the period ends, and keeps your messages. Images, videos and speech also count. Models without a known price also stop, but their cost can’t be counted.',
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
