import { limitsSchema, NamedError, type TeamLimitSettings } from '@troupe/protocol'
import { sql } from 'kysely'
import type { Db } from '../stores/sql/context.ts'
import type { BudgetAccount, Payer } from '../usage/budget-accounts.ts'
import type { TeamSetting, TeamSettings } from './team-settings.ts'

/** Budgets and rates of people, workspaces and models. */
export interface TeamLimits {
  setting: TeamSetting<TeamLimitSettings>
  /** For the code that counts costs. */
  spending: { accounts(payer: Payer): BudgetAccount[]; freshMs: number }
  /** Counts the start of a run. Throws `RateLimited` and `TooManyRuns` (429), and counts nothing then. */
  admitRun(payer: Payer): Promise<void>
}

type Limits = NonNullable<TeamLimitSettings['people']>['default']

const minuteMs = 60_000
/** Other nodes also spend. */
const freshMs = 5000

export async function openLimits(options: {
  db: Db
  settings: TeamSettings
  clock?: () => number
}): Promise<TeamLimits> {
  const { db, settings, clock = Date.now } = options
  const setting = await settings.open<TeamLimitSettings>({
    name: 'limits',
    initial: {},
    load: (stored) => limitsSchema.parse(stored),
    save: (next) => next,
  })
  return {
    setting,
    spending: {
      freshMs,
      accounts: (payer) =>
        limitsOf(payer).flatMap(({ of, filter, limits: { day, month } }) =>
          day === undefined && month === undefined
            ? []
            : [{ of, filter, limits: { ...(day !== undefined && { day }), ...(month !== undefined && { month }) } }],
        ),
    },
    async admitRun(payer) {
      const all = limitsOf(payer)
      for (const { of, filter, limits } of all) {
        if (limits.concurrentRuns === undefined) continue
        const running = await countRuns(db, filter)
        if (running >= limits.concurrentRuns) throw tooManyRuns(of, limits.concurrentRuns)
      }
      await countStart(all)
    },
  }

  function limitsOf(payer: Payer): { of: BudgetAccount['of']; filter: Payer; limits: NonNullable<Limits> }[] {
    const { people, workspaces, models } = setting.get()
    const { person, folder, model } = payer
    const found = [
      { of: 'person' as const, id: person, filter: { person }, from: people },
      { of: 'workspace' as const, id: folder, filter: { folder }, from: workspaces },
      { of: 'model' as const, id: model, filter: { model }, from: models },
    ]
    return found.flatMap(({ of, id, filter, from }) => {
      if (id === undefined || from === undefined) return []
      const own = Object.hasOwn(from.byId ?? {}, id) ? from.byId?.[id] : undefined
      return [{ of, filter, limits: { ...from.default, ...own } }]
    })
  }

  /** In one transaction, so that several nodes together cannot exceed a rate. */
  async function countStart(all: ReturnType<typeof limitsOf>): Promise<void> {
    const limited = all.filter(({ limits }) => limits.requestsPerMinute !== undefined)
    if (limited.length === 0) return
    const now = clock()
    const minute = Math.floor(now / minuteMs)
    await db.transaction().execute(async (inside) => {
      for (const { of, filter, limits } of limited) {
        const name = `${of} ${Object.values(filter).join('')}`
        const row = await inside
          .insertInto('rate_count')
          .values({ name, minute, count: 1 })
          .onConflict((conflict) =>
            conflict.columns(['name', 'minute']).doUpdateSet({ count: sql`rate_count.count + 1` }),
          )
          .returning('count')
          .executeTakeFirstOrThrow()
        if (Number(row.count) > (limits.requestsPerMinute ?? Infinity))
          throw rateLimited(of, limits.requestsPerMinute ?? 0, minuteMs - (now % minuteMs))
      }
      await inside
        .deleteFrom('rate_count')
        .where('minute', '<', minute - 1)
        .execute()
    })
  }
}

/** Counts live runs of all nodes from the database. Sub-agents belong to the run of their chat. */
async function countRuns(db: Db, { person, folder, model }: Payer): Promise<number> {
  const part = (name: string, value: string): string => `%${likeText(`"${name}":${JSON.stringify(value)}`)}%`
  const row = await db
    .selectFrom('run')
    .innerJoin('session', 'session.id', 'run.session_id')
    .innerJoin('workspace', 'workspace.id', 'session.workspace_id')
    .select((e) => e.fn.countAll().as('count'))
    .where('run.status', 'in', ['running', 'waiting'])
    .where('run.agent_id', 'is', null)
    .$if(person !== undefined, (query) =>
      query.where(sql<boolean>`run.request like ${part('person', person ?? '')} escape '!'`),
    )
    .$if(model !== undefined, (query) =>
      query.where(sql<boolean>`run.request like ${part('model', model ?? '')} escape '!'`),
    )
    .$if(folder !== undefined, (query) => query.where('workspace.path', '=', folder ?? ''))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

function likeText(text: string): string {
  return text.replaceAll(/[%_!]/g, '!$&')
}

function rateLimited(of: BudgetAccount['of'], limit: number, waitMs: number): NamedError {
  const seconds = Math.ceil(waitMs / 1000)
  const whose = of === 'person' ? 'You' : `This ${of}`
  return new NamedError(
    'RateLimited',
    `${whose} can start ${limit} ${limit === 1 ? 'answer' : 'answers'} per minute. Try again in ${seconds} seconds.`,
    { status: 429, data: { of, limit, retryAfter: seconds } },
  )
}

function tooManyRuns(of: BudgetAccount['of'], limit: number): NamedError {
  const whose = of === 'person' ? 'You' : `This ${of}`
  return new NamedError(
    'TooManyRuns',
    `${whose} can have ${limit} ${limit === 1 ? 'answer' : 'answers'} running at a time. Wait for one to finish, or stop it.`,
    { status: 429, data: { of, limit } },
  )
}
