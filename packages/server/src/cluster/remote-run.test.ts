import type { RunStatus, Store } from '@troupe/core'
import type { Frame } from '@troupe/protocol'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { runRecord, textFrame } from '../stores/testing/builders.ts'
import { createTestSink } from '../testing/open-runs.ts'
import { createFrameFeed, type FrameFeed } from './frame-feed.ts'
import { openRemoteRun } from './remote-run.ts'
import type { ClusterTables } from './tables.ts'

/** A database with one run, whose tables change at the moments that a test chooses. */
interface FakeDatabase {
  db: Kysely<ClusterTables>
  frames: Frame[]
  status: RunStatus
  /** Called when a query has read its rows. */
  onRead: () => void
}

const first = textFrame('r1', 0, 0, 'One')
const last = textFrame('r1', 1, first.to, ' Two')
let feed: FrameFeed | undefined

afterEach(() => feed?.close())

it('ends a stream only after all frames, also if the run ends while its state is read', async () => {
  const database = fakeDatabase([first], 'running')
  const sink = follow(database, 'running')
  database.onRead = () => {
    database.frames = [first, last]
    database.status = 'done'
    database.onRead = () => undefined
    feed?.wake({ frames: ['r1'], states: ['r1'] })
  }
  await sink.ended
  expect(sink.events.at(-1)?.number).toBe(last.to)
})

it('sends the whole log of a run that ended before somebody read it', async () => {
  const sink = follow(fakeDatabase([first, last], 'done'), 'done')
  await sink.ended
  expect(sink.events.at(-1)?.number).toBe(last.to)
})

it('sends nothing twice to slow readers when the frames of an ended run are merged', () => {
  const run = openRemoteRun(runRecord('r1', 's1'), { store: {} as Store, feed: {} as FrameFeed })
  run.onFrames([first])
  run.onFrames([{ ...first, to: last.to, items: [...first.items, ...last.items] }])
  // The database has the merged frame.
  expect(run.recent(1)).toBeUndefined()
  expect(run.recent(first.to)?.events).toMatchObject([{ number: last.to, chunk: { delta: ' Two' } }])
})

function follow(database: FakeDatabase, known: RunStatus): ReturnType<typeof createTestSink> {
  const sink = createTestSink()
  const { db } = database
  feed = createFrameFeed(db, () => undefined)
  const store = {
    frames: { read: () => Promise.resolve(database.frames) },
    runs: {
      get: () => Promise.resolve(runRecord('r1', 's1', { status: database.status })),
    },
  } as unknown as Store
  openRemoteRun(runRecord('r1', 's1', { status: known }), { store, feed }).subscribe(sink, {})
  return sink
}

function fakeDatabase(frames: Frame[], status: RunStatus): FakeDatabase {
  const connection = {
    executeQuery({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      const rows = sql.includes('select id, status') ? [{ id: 'r1', status: fake.status }] : newFrames(parameters)
      fake.onRead()
      return Promise.resolve({ rows: rows as never[] })
    },
    streamQuery: () => {
      throw new Error('Not used.')
    },
  }
  const nothing = (): Promise<void> => Promise.resolve()
  const driver = {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  }
  const fake: FakeDatabase = {
    frames,
    status,
    onRead: () => undefined,
    db: new Kysely({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => driver,
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
  }
  return fake

  function newFrames([, [after = 0] = []]: readonly unknown[] & { 1?: number[] }): object[] {
    return fake.frames
      .filter(({ to }) => to > after)
      .map(({ runId, seq, from, to, items }) => ({
        run_id: runId,
        seq,
        from_number: from,
        to_number: to,
        items: JSON.stringify(items),
      }))
  }
}
