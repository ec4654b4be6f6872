import { readEvents } from '@troupe/protocol'

/** Reads the events of a stream other than a run's. Each is an object with a `type`. */
export async function* readEventStream<Event extends { type: string }>({ body }: Response): AsyncGenerator<Event> {
  if (body === null) return
  for await (const { chunk } of readEvents(body)) yield chunk as unknown as Event
}
