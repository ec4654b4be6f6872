import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { createCall } from '@troupe/client'
import { defineCommand, UsageError } from '../shared/command.ts'
import { readJson } from '../shared/connect.ts'
import { openLogins, serverOrigin } from '../shared/logins.ts'

/** `troupe login <url>`: shows a code, waits until a person confirms it in the browser, and keeps the token. */
export const command = defineCommand({
  options: {},
  async run({ positionals }, context) {
    const [given, ...more] = positionals
    if (given === undefined || more.length > 0) throw new UsageError('usage: troupe login <url>')
    const origin = serverOrigin(given)
    const ended = new AbortController()
    const endSignals = context.onSignal(() => ended.abort())
    const call = createCall(async (method, target, { body }) => {
      const json = body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await fetch(origin + target, { method, signal: ended.signal, ...json })
      if (!response.ok) await readJson(response)
      return response
    })
    try {
      const device = await call('POST /ai/device', { body: { name: `troupe on ${hostname()}`.slice(0, 100) } })
      context.stdout.write(`Open ${device.urlWithCode}\nand confirm the code ${device.userCode}\n`)
      let { interval } = device
      for (;;) {
        await delay(interval * 1000, undefined, { signal: ended.signal })
        const answer = await call('POST /ai/device/token', { body: { deviceCode: device.deviceCode } })
        if ('token' in answer) {
          openLogins(context.env).set(origin, answer.token)
          context.stdout.write(`You are signed in to ${origin}. Try: troupe -p "hello" --server ${origin}\n`)
          return 0
        }
        if (answer.status === 'slow-down') interval += 5
      }
    } catch (error) {
      if (ended.signal.aborted) return 130
      throw error
    } finally {
      endSignals()
    }
  },
})
