import { hostname } from 'node:os'
import path from 'node:path'
import { nodeNameSchema } from '@troupe/protocol'
import { openHome } from '@troupe/server/home'
import { joinTeam } from '@troupe/server/join'
import { defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { openLogins, serverOrigin } from '../shared/logins.ts'

/** `troupe node --join <url> --folder <folder>`: lets a team's server work in folders of this computer. */
export const command = defineCommand({
  options: {
    join: { type: 'string' },
    folder: { type: 'string', multiple: true },
    name: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ values, positionals }, context) {
    const { join, folder = [], json = false } = values
    if (join === undefined || folder.length === 0 || positionals.length > 0)
      throw new UsageError('usage: troupe node --join <url> --folder <folder> [--folder <folder> …] [--name <name>]')
    const origin = serverOrigin(join)
    const token = context.env['TROUPE_TOKEN'] || openLogins(context.env).token(origin)
    if (token === undefined) throw new UsageError(`you are not signed in to ${origin}: run "troupe login ${origin}"`)
    const name = nodeNameSchema.safeParse(values.name ?? defaultName())
    if (!name.success)
      throw new UsageError('a name has at most 63 letters, digits, ".", "_" or "-", and begins with a letter or digit')
    /** The last reason that was printed since it was connected. */
    let told = ''
    const ended = new AbortController()
    const endSignals = context.onSignal(() => ended.abort())
    const say = (line: object, text: string): void =>
      void context.stdout.write(json ? `${JSON.stringify(line)}\n` : text)
    try {
      await joinTeam({
        origin,
        token,
        name: name.data,
        folders: folder.map((one) => path.resolve(context.cwd, one)),
        home: openHome({ env: context.env }).path,
        env: context.env,
        signal: ended.signal,
        logger: ({ level, message }) => {
          if (level === 'error') printNotice(context, message)
        },
        onState(state) {
          if (state.state === 'ready') {
            if (state.sandbox.sandbox === undefined)
              printNotice(context, `commands will be refused. ${state.sandbox.text} ${state.sandbox.fix ?? ''}`.trim())
          } else if (state.state === 'disconnected') {
            if (state.reason !== told) printNotice(context, `not connected: ${state.reason}. Trying again.`)
            told = state.reason
          } else {
            told = ''
            const list = state.folders.map((one) => `  ${one.path}\n`).join('')
            say(
              { state: 'connected', name: name.data, folders: state.folders },
              `Connected to ${origin} as "${name.data}". Open these folders there:\n${list}Press Ctrl+C to stop.\n`,
            )
          }
        },
      })
      return 0
    } finally {
      endSignals()
    }
  },
})

function defaultName(): string {
  return (
    hostname()
      .split('.')[0]
      ?.replaceAll(/[^A-Za-z0-9._-]/g, '-')
      .slice(0, 63) || 'computer'
  )
}
