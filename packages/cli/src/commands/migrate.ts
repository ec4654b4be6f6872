import path from 'node:path'
import { NamedError } from '@troupe/protocol'
import { count } from '@troupe/server/count'
import { databaseFromEnvironment, hasPassword, isDatabaseUrl, resolveDatabaseUrl } from '@troupe/server/database-url'
import { lockHome, openHome } from '@troupe/server/home'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'

/** Progress of a long table is shown at most this often. */
const progressEveryMs = 2000

/** `troupe migrate`: copies a home into Postgres, or back. The source stays as it is. */
export const command = defineCommand({
  options: { from: { type: 'string' }, to: { type: 'string' }, place: { type: 'string' } },
  async run({ values: { from, to, place: disk }, positionals }, context) {
    if (to === undefined || positionals.length > 0)
      throw new UsageError(
        'expected: troupe migrate --to <database>, or troupe migrate --from <database> --to <folder>',
      )
    const isBack = from !== undefined && isDatabaseUrl(from)
    if (isDatabaseUrl(to) === isBack) throw new UsageError('one of --from and --to must be a Postgres database')
    const given = isBack ? from : to
    const folder = isBack ? to : from
    if (given !== databaseFromEnvironment && hasPassword(given))
      printNotice(
        context,
        'other users can see a password on the command line; set TROUPE_DATABASE_URL and use "postgres" instead of the URL',
      )
    const url = resolveDatabaseUrl(given, context.env)
    const place = folder === undefined ? context.env['TROUPE_HOME'] : path.resolve(context.cwd, folder)
    const home = openHome({ env: { ...context.env, ...(place !== undefined && { TROUPE_HOME: place }) } })
    const lock = lockHome(home)
    if ('ownedBy' in lock)
      throw new NamedError('HomeOwned', `Another Troupe is using ${home.path}. Stop it, then try again.`)
    try {
      const { describeUrl, moveToHome, moveToPostgres } = await import('@troupe/server/move')
      const move = isBack ? moveToHome : moveToPostgres
      const log = ({ message }: { message: string }): void => printNotice(context, message)
      const options = { home: home.path, url, place: disk, onProgress: progressTo(context), log }
      const { tables, blobs, missing } = await move(options)
      for (const { name, rows, sha256 } of tables)
        context.stdout.write(`${name}: ${count(rows, 'row')}, sha256 ${sha256}\n`)
      const [source, target] = isBack ? [describeUrl(url), home.path] : [home.path, describeUrl(url)]
      context.stdout.write(
        `${count(blobs, 'file')}. Everything in ${target} equals ${source}, which was not changed.\n`,
      )
      for (const { name, rows } of missing)
        printNotice(context, `not moved, because only a team has it: ${name} (${count(rows, 'row')})`)
      if (!isBack)
        printNotice(context, 'config.json, tools, agents, skills and the files of tool calls stay in the home')
      return 0
    } finally {
      lock.release()
    }
  },
})

function progressTo(context: CommandContext): (progress: { what: string; done: number; total: number }) => void {
  let shownAt = 0
  return ({ what, done, total }) => {
    const now = Date.now()
    if (done < total && now - shownAt < progressEveryMs) return
    shownAt = now
    printNotice(context, `${what}: ${done} of ${total}`)
  }
}
