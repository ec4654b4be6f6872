import { cleanMessage, foldChunks, type Message } from '@troupe/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCutLog } from '../../../protocol/testing/arbitrary-log.ts'
import { messageChunks } from './stored-answer.ts'

it('the fold of the chunks of a stored message is that message', () => {
  fc.assert(
    fc.property(anyCutLog, fc.constantFrom('ended' as const, 'waiting' as const), (log, run) => {
      const { id, role, metadata, parts } = JSON.parse(
        JSON.stringify(cleanMessage(foldChunks(log), { run })),
      ) as Message
      const message = { id, role, metadata, parts }
      expect(foldChunks(messageChunks(message))).toEqual(message)
    }),
    { numRuns: 200 },
  )
})
