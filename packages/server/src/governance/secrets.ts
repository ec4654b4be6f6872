import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { NamedError } from '@troupe/protocol'
import type { Db } from '../stores/sql/context.ts'
import type { KeyRing, SecretKey } from './secret-keys.ts'

/** Owner of the organization's secrets. Others are ids of people. */
export const organization = ''

/** Encrypted values in the database, by owner and name. */
export interface Secrets {
  get(owner: string, name: string): Promise<string | undefined>
  /** All secrets of an owner whose name begins with `prefix`. */
  list(owner: string, prefix?: string): Promise<Map<string, string>>
  /** Sets a secret, or deletes it if the value is undefined. `inside`: a transaction. */
  set(owner: string, name: string, value: string | undefined, inside?: Db): Promise<void>
  /** Deletes everything of a person. */
  forget(owner: string): Promise<void>
  /** Encrypts all values with the current key. Values that no known key opens stay and are counted. */
  rotate(): Promise<{ rotated: number; unreadable: number; keyId: string }>
}

const pageRows = 200

export function openSecrets(options: { db: Db; keys: KeyRing; clock?: () => number }): Secrets {
  const { db, keys, clock = Date.now } = options
  return {
    async get(owner, name) {
      const row = await db
        .selectFrom('secret')
        .select('value')
        .where('owner', '=', owner)
        .where('name', '=', name)
        .executeTakeFirst()
      return row && open(row.value, owner, name)
    },
    async list(owner, prefix = '') {
      const rows = await db
        .selectFrom('secret')
        .select(['name', 'value'])
        .where('owner', '=', owner)
        .orderBy('name')
        .execute()
      const found = new Map<string, string>()
      for (const { name, value } of rows) if (name.startsWith(prefix)) found.set(name, await open(value, owner, name))
      return found
    },
    async set(owner, name, value, inside = db) {
      if (value === undefined) {
        await inside.deleteFrom('secret').where('owner', '=', owner).where('name', '=', name).execute()
        return
      }
      const row = { value: seal(value, owner, name, keys.current()), updated_at: clock() }
      await inside
        .insertInto('secret')
        .values({ owner, name, ...row })
        .onConflict((conflict) => conflict.columns(['owner', 'name']).doUpdateSet(row))
        .execute()
    },
    async forget(owner) {
      if (owner === organization) throw new Error('The organization cannot be forgotten.')
      await db.deleteFrom('secret').where('owner', '=', owner).execute()
    },
    async rotate() {
      await keys.renew()
      const { id: keyId } = keys.current()
      let rotated = 0
      let unreadable = 0
      let after: { owner: string; name: string } | undefined
      for (;;) {
        const rows = await pageAfter(after)
        for (const { owner, name, value } of rows) {
          if (keyOf(value) === keyId) continue
          const text = await open(value, owner, name).catch(() => undefined)
          if (text === undefined) {
            unreadable++
            continue
          }
          // Only if the value has not changed in the meantime.
          const { numUpdatedRows } = await db
            .updateTable('secret')
            .set({ value: seal(text, owner, name, keys.current()) })
            .where('owner', '=', owner)
            .where('name', '=', name)
            .where('value', '=', value)
            .executeTakeFirst()
          rotated += Number(numUpdatedRows)
        }
        if (rows.length < pageRows) return { rotated, unreadable, keyId }
        after = rows.at(-1)
      }
    },
  }

  function pageAfter(after: { owner: string; name: string } | undefined) {
    return db
      .selectFrom('secret')
      .select(['owner', 'name', 'value'])
      .$if(after !== undefined, (query) =>
        query.where(({ eb, and, or }) =>
          or([
            eb('owner', '>', after?.owner ?? ''),
            and([eb('owner', '=', after?.owner ?? ''), eb('name', '>', after?.name ?? '')]),
          ]),
        ),
      )
      .orderBy('owner')
      .orderBy('name')
      .limit(pageRows)
      .execute()
  }

  async function open(sealed: string, owner: string, name: string): Promise<string> {
    const id = keyOf(sealed)
    const key = id === undefined ? undefined : await keys.find(id)
    if (key === undefined)
      throw new NamedError(
        'SecretUnreadable',
        `The secret "${name}" was encrypted with the key ${id ?? 'unknown'}, which is not configured. Add it to TROUPE_SECRET_KEYS_OLD.`,
        { status: 500 },
      )
    return unseal(sealed, owner, name, key)
  }
}

const nonceBytes = 12
const tagBytes = 16

/** `s1.<key id>.<nonce, text, tag>`. Owner and name are authenticated, so a value cannot be moved to another row. */
function seal(text: string, owner: string, name: string, key: SecretKey): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(placeOf(owner, name))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `s1.${key.id}.${sealed.toString('base64url')}`
}

function unseal(sealed: string, owner: string, name: string, key: SecretKey): string {
  const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(placeOf(owner, name)).setAuthTag(bytes.subarray(-tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8')
  } catch (cause) {
    const text = `The secret "${name}" was changed or moved in the database, so it cannot be used. Set it again.`
    throw new NamedError('SecretDamaged', text, { status: 500, cause })
  }
}

function placeOf(owner: string, name: string): Buffer {
  return Buffer.from(JSON.stringify([owner, name]))
}

function keyOf(sealed: string): string | undefined {
  return /^s1\.([0-9a-f]{12})\./.exec(sealed)?.[1]
}
