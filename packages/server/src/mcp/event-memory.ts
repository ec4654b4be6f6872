import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

const maxEvents = 1000
const maxCharacters = 8_000_000

/** The newest messages of a session, so that a client whose connection broke gets what it has missed. */
export function createEventStore(): EventStore {
  const events: { number: number; stream: string; message: JSONRPCMessage; length: number }[] = []
  let last = 0
  let characters = 0
  return {
    storeEvent(stream, message) {
      const { length } = JSON.stringify(message)
      events.push({ number: ++last, stream, message, length })
      characters += length
      while (events.length > maxEvents || (characters > maxCharacters && events.length > 1))
        characters -= events.shift()?.length ?? 0
      return Promise.resolve(eventId(last, stream))
    },
    // That the stream of an event can be looked up is not said: who asks anew would be refused for as long as the
    // connection that broke is taken for open.
    async replayEventsAfter(id, { send }) {
      const from = parseEventId(id)
      if (from === undefined) throw new Error('There is no such event.')
      const missed = events.filter(({ number, stream }) => stream === from.stream && number > from.number)
      for (const { number, stream, message } of missed) await send(eventId(number, stream), message)
      return from.stream
    },
  }
}

function eventId(number: number, stream: string): string {
  return `${number}.${stream}`
}

function parseEventId(id: string): { number: number; stream: string } | undefined {
  const match = /^(\d{1,15})\.(.*)$/.exec(id)
  return match === null ? undefined : { number: Number(match[1]), stream: match[2] as string }
}
