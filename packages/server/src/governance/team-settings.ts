import { NamedError } from '@troupe/protocol'
import type { Db } from '../stores/sql/context.ts'
import type { Logger } from '../util/logger.ts'

/** Notifies all nodes of a change in the database. The topic `*` means that anything may have changed. */
export interface ChangeSignal {
  publish(topic: string): Promise<void> | void
  subscribe(onChange: (topic: string) => void): () => void
}

/** Within one process. */
export function createLocalSignal(): ChangeSignal {
  const listeners = new Set<(topic: string) => void>()
  return {
    publish: (topic) => listeners.forEach((listener) => listener(topic)),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** A value of the whole organization. Every node holds the current one in memory. */
export interface TeamSetting<T> {
  get(): T
  /** Grows with every change. 0 if it was never set. */
  version(): number
  /** Runs `change` on the stored value, again if another node changed it first. Resolves once it is stored. */
  update(change: (now: T) => T): Promise<T>
}

export interface SettingType<T> {
  name: string
  initial: T
  /** Reads the stored JSON. */
  load(stored: unknown): T | Promise<T>
  /** Returns the JSON to store. May write elsewhere in the same transaction. */
  save(next: T, now: T, inside: Db): unknown
  onChange?: (next: T) => void
}

/** Settings of one type, one for each key. */
export interface TeamSettingFamily<T> {
  /** The initial value if the key was never set. */
  get(key: string): T
  update(key: string, change: (now: T) => T): Promise<T>
}

export interface TeamSettings {
  open<T>(type: SettingType<T>): Promise<TeamSetting<T>>
  /** Opens all settings whose names begin with the name of the type and a slash. */
  openFamily<T>(type: SettingType<T>): Promise<TeamSettingFamily<T>>
  /** Reads what other nodes changed. */
  refresh(): Promise<void>
  close(): void
}

const topic = 'team-settings'
/** A lost signal delays a change by at most this. */
const defaultPollMs = 5000
const maxTries = 20

interface OpenSetting {
  version: number
  reload(stored: string, version: number): Promise<void>
}

export function openTeamSettings(options: {
  db: Db
  signal: ChangeSignal
  logger: Logger
  pollMs?: number
  clock?: () => number
}): TeamSettings {
  const { db, signal, logger, clock = Date.now } = options
  const settings = new Map<string, OpenSetting>()
  const families: { prefix: string; open(name: string): Promise<unknown> }[] = []
  const unsubscribe = signal.subscribe((changed) => void ((changed === topic || changed === '*') && refreshQuietly()))
  const timer = setInterval(() => void refreshQuietly(), options.pollMs ?? defaultPollMs).unref()
  let refreshing: Promise<void> | undefined

  const all: TeamSettings = {
    async open(type) {
      const row = await read(db, type.name)
      let value = row === undefined ? type.initial : await type.load(JSON.parse(row.value))
      const open: OpenSetting = {
        version: Number(row?.version ?? 0),
        async reload(stored, version) {
          const next = await type.load(JSON.parse(stored))
          // Another reload may have been faster.
          if (version > open.version) set(next, version)
        },
      }
      settings.set(type.name, open)
      return {
        get: () => value,
        version: () => open.version,
        async update(change) {
          for (let tries = 1; tries <= maxTries; tries++) {
            const stored = await write(type, change)
            if (stored === undefined) continue
            if (stored.version > open.version) set(stored.next, stored.version)
            await signal.publish(topic)
            return stored.next
          }
          throw new NamedError('SettingBusy', 'Someone else is changing this at the same time. Try again.', {
            status: 409,
          })
        },
      }

      function set(next: typeof value, version: number): void {
        value = next
        open.version = version
        type.onChange?.(next)
      }
    },
    async openFamily<T>(type: SettingType<T>): Promise<TeamSettingFamily<T>> {
      const prefix = `${type.name}/`
      const members = new Map<string, Promise<TeamSetting<T>>>()
      const values = new Map<string, TeamSetting<T>>()
      const open = (name: string): Promise<TeamSetting<T>> => {
        const known = members.get(name)
        if (known !== undefined) return known
        const opening = all.open({ ...type, name }).then((setting) => {
          values.set(name, setting)
          return setting
        })
        members.set(name, opening)
        // A failed read is tried again.
        opening.catch(() => members.delete(name))
        return opening
      }
      families.push({ prefix, open })
      const rows = await db.selectFrom('team_setting').select('name').where('name', 'like', `${prefix}%`).execute()
      for (const { name } of rows) await open(name)
      return {
        get: (key) => values.get(prefix + key)?.get() ?? type.initial,
        update: async (key, change) => (await open(prefix + key)).update(change),
      }
    },
    refresh,
    close() {
      clearInterval(timer)
      unsubscribe()
    },
  }
  return all

  /** Undefined if another node changed the setting first. */
  async function write<T>(
    type: SettingType<T>,
    change: (now: T) => T,
  ): Promise<{ next: T; version: number } | undefined> {
    const row = await read(db, type.name)
    const now = row === undefined ? type.initial : await type.load(JSON.parse(row.value))
    const next = change(now)
    const version = Number(row?.version ?? 0) + 1
    const isStored = await db
      .transaction()
      .execute(async (inside) => {
        const value = JSON.stringify(await type.save(next, now, inside))
        const at = { value, version, updated_at: clock() }
        if (row === undefined) {
          const { numInsertedOrUpdatedRows } = await inside
            .insertInto('team_setting')
            .values({ name: type.name, ...at })
            .onConflict((conflict) => conflict.column('name').doNothing())
            .executeTakeFirst()
          return Number(numInsertedOrUpdatedRows) === 1 || undo()
        }
        const { numUpdatedRows } = await inside
          .updateTable('team_setting')
          .set(at)
          .where('name', '=', type.name)
          .where('version', '=', row.version)
          .executeTakeFirst()
        return Number(numUpdatedRows) === 1 || undo()
      })
      .catch((error: unknown) => {
        if (error === conflict) return false
        throw error
      })
    return isStored ? { next, version } : undefined
  }

  async function refreshQuietly(): Promise<void> {
    await refresh().catch((error: unknown) =>
      logger({ level: 'error', message: 'the settings of the team were not read', error: String(error) }),
    )
  }

  /** One at a time. A change during a refresh is read by the next. */
  async function refresh(): Promise<void> {
    const before = refreshing
    const mine = (async () => {
      await before?.catch(() => undefined)
      const rows = await db.selectFrom('team_setting').select(['name', 'version']).execute()
      for (const { name, version } of rows) {
        const open = settings.get(name)
        if (open === undefined) await families.find(({ prefix }) => name.startsWith(prefix))?.open(name)
        if (open === undefined || Number(version) <= open.version) continue
        const row = await read(db, name)
        if (row !== undefined) await open.reload(row.value, Number(row.version))
      }
    })()
    refreshing = mine
    await mine
  }
}

const conflict = new Error('The setting was changed by another node.')

/** Rolls back what `save` wrote. */
function undo(): never {
  throw conflict
}

function read(db: Db, name: string) {
  return db.selectFrom('team_setting').select(['value', 'version']).where('name', '=', name).executeTakeFirst()
}
