import { defineCommand, UsageError } from '../shared/command.ts'
import { connectToServer, openLogins, serverOrigin } from '../shared/logins.ts'

/** `troupe logout <url>`: ends the sign-in on the server and forgets its token. */
export const command = defineCommand({
  options: {},
  async run({ positionals }, context) {
    const [given, ...more] = positionals
    if (given === undefined || more.length > 0) throw new UsageError('usage: troupe logout <url>')
    const origin = serverOrigin(given)
    const logins = openLogins(context.env)
    if (logins.token(origin) === undefined) throw new UsageError(`you are not signed in to ${origin}`)
    try {
      const connection = await connectToServer({ ...context, env: { ...context.env, TROUPE_TOKEN: undefined } }, origin)
      await connection.call('POST /ai/account/sign-out')
    } finally {
      logins.set(origin, undefined)
    }
    context.stdout.write(`You are signed out of ${origin}.\n`)
    return 0
  },
})
