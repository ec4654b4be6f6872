import { count } from '@troupe/server/count'
import { defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { connectAsOperator } from '../shared/operator.ts'

/** `troupe secrets rotate`: encrypts the secrets of a team with the current key. */
export const command = defineCommand({
  options: {},
  async run({ positionals }, context) {
    if (positionals.join(' ') !== 'rotate') throw new UsageError('expected: troupe secrets rotate')
    const connection = await connectAsOperator(context)
    try {
      const { rotated, unreadable, keyId } = await connection.call('POST /ai/secrets/rotate')
      context.stdout.write(`${count(rotated, 'secret')} encrypted with the key ${keyId}.\n`)
      if (unreadable === 0) return 0
      printNotice(
        context,
        `${count(unreadable, 'secret')} could not be read with any key. Add the old key to TROUPE_SECRET_KEYS_OLD, restart, and try again.`,
      )
      return 1
    } finally {
      await connection.close()
    }
  },
})
