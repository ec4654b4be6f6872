import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openKeyRing } from '../secret-keys.ts'
import { openSecrets } from '../secrets.ts'
import type { TestDatabase } from './databases.ts'

const first = 'a-first-secret-key-of-32-characters'
const second = 'another-secret-key-of-32-characters'

export function secretsContract(ground: () => TestDatabase): void {
  describe('secrets', () => {
    const open = async (env: NodeJS.ProcessEnv, kmsCommand?: string[]) => {
      const { db } = ground()
      return openSecrets({ db, keys: await openKeyRing({ env, db, kmsCommand }) })
    }

    it('stores only ciphertext', async () => {
      const secrets = await open({ TROUPE_SECRET_KEY: first })
      await secrets.set('', 'providers/shop', 'sk-live-密钥')
      await secrets.set('ann', 'providers/shop', 'sk-ann')
      expect(await secrets.get('', 'providers/shop')).toBe('sk-live-密钥')
      expect([...(await secrets.list('ann'))]).toEqual([['providers/shop', 'sk-ann']])
      expect(await secrets.get('bob', 'providers/shop')).toBeUndefined()
      const rows = await ground().db.selectFrom('secret').selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain('sk-')
      await secrets.set('ann', 'providers/shop', 'sk-ann')
      const again = await ground().db.selectFrom('secret').select('value').where('owner', '=', 'ann').execute()
      expect(again[0]?.value).not.toBe(rows.find(({ owner }) => owner === 'ann')?.value)
    })

    it('refuses a value that was changed, or moved to another row', async () => {
      const { db } = ground()
      const secrets = await open({ TROUPE_SECRET_KEY: first })
      await secrets.set('ann', 'a', 'sk-ann')
      await secrets.set('bob', 'a', 'sk-bob')
      const { value } = await db
        .selectFrom('secret')
        .select('value')
        .where('owner', '=', 'ann')
        .executeTakeFirstOrThrow()
      await db.updateTable('secret').set({ value }).where('owner', '=', 'bob').execute()
      await expect(secrets.get('bob', 'a')).rejects.toMatchObject({ name: 'SecretDamaged' })
      const flipped = `${value.slice(0, 25)}${value[25] === 'A' ? 'B' : 'A'}${value.slice(26)}`
      await db.updateTable('secret').set({ value: flipped }).where('owner', '=', 'ann').execute()
      await expect(secrets.get('ann', 'a')).rejects.toMatchObject({ name: 'SecretDamaged' })
      await db.updateTable('secret').set({ value: 'plain' }).where('owner', '=', 'ann').execute()
      await expect(secrets.get('ann', 'a')).rejects.toMatchObject({ name: 'SecretUnreadable' })
    })

    it('rotates to a new key, after which the old one is not needed', async () => {
      const before = await open({ TROUPE_SECRET_KEY: first })
      for (let i = 0; i < 450; i++) await before.set(`p${i % 3}`, `n${i}`, `value ${i}`)
      const both = await open({
        TROUPE_SECRET_KEY: second,
        TROUPE_SECRET_KEYS_OLD: `unused-key-of-32-characters-and-more, ${first}`,
      })
      expect(await both.get('p1', 'n1')).toBe('value 1')
      expect(await both.rotate()).toMatchObject({ rotated: 450, unreadable: 0 })
      expect(await both.rotate()).toMatchObject({ rotated: 0, unreadable: 0 })
      const after = await open({ TROUPE_SECRET_KEY: second })
      for (const i of [0, 199, 200, 449]) expect(await after.get(`p${i % 3}`, `n${i}`)).toBe(`value ${i}`)
      const wrong = await open({ TROUPE_SECRET_KEY: first })
      await expect(wrong.get('p1', 'n1')).rejects.toMatchObject({ name: 'SecretUnreadable' })
      expect(await wrong.rotate()).toMatchObject({ rotated: 0, unreadable: 450 })
    })

    it('refuses to start without a key, or with a weak one', async () => {
      await expect(open({})).rejects.toMatchObject({ name: 'SecretKeyMissing' })
      await expect(open({ TROUPE_SECRET_KEY: 'short' })).rejects.toMatchObject({ name: 'SecretKeyTooShort' })
    })

    it('uses data keys that a program wraps', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'troupe-kms-'))
      try {
        const program = path.join(folder, 'kms.mjs')
        writeFileSync(
          program,
          `#!${process.execPath}
          let text = ''
          for await (const part of process.stdin) text += part
          const { action, key, wrapped } = JSON.parse(text)
          if (process.env.TROUPE_SECRET_KEY) process.exit(3)
          const turn = (given) => Buffer.from(given, 'base64').map((byte) => byte ^ 0x5a).toString('base64')
          console.log(JSON.stringify(action === 'wrap' ? { wrapped: turn(key) } : { key: turn(wrapped) }))`,
        )
        chmodSync(program, 0o700)
        const env = { TROUPE_SECRET_KEY: first }
        const one = await open(env, [program])
        await one.set('', 'a', 'sk-live')
        const other = await open(env, [program])
        expect(await other.get('', 'a')).toBe('sk-live')
        expect(await other.rotate()).toMatchObject({ rotated: 1, unreadable: 0 })
        // The first node did not know the new key until now.
        expect(await one.get('', 'a')).toBe('sk-live')
        expect(await ground().db.selectFrom('data_key').selectAll().execute()).toHaveLength(2)
        await expect(open(env, ['/nowhere/kms'])).rejects.toMatchObject({ name: 'KmsFailed' })
        await expect(open(env, ['/bin/false'])).rejects.toMatchObject({ name: 'KmsFailed' })
        await expect(open(env, ['/bin/echo', 'no json'])).rejects.toMatchObject({ name: 'KmsFailed' })
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })
}
