import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openAudit } from '../audit.ts'
import type { TestDatabase } from './databases.ts'

const ann = { id: 'person-ann', name: 'Ann Lee' }
const bob = { id: 'person-bob', name: 'Bob Stone' }

export function auditContract(ground: () => TestDatabase): void {
  describe('audit', () => {
    it('keeps who did what, newest first', async () => {
      const audit = openAudit({ db: ground().db })
      await audit.record({ actor: ann, action: 'policy.change', detail: { mode: 'plan' }, requestId: 'r-1' })
      await audit.record({
        actor: bob,
        action: 'session.delete',
        target: { type: 'session', id: 's1' },
        outcome: 'denied',
        address: '10.1.2.3',
      })
      const { entries, next } = await audit.search()
      expect(next).toBeNull()
      expect(entries).toMatchObject([
        {
          actor: { name: 'Bob Stone' },
          action: 'session.delete',
          target: { type: 'session', id: 's1' },
          outcome: 'denied',
          address: '10.1.2.3',
        },
        { actor: { name: 'Ann Lee' }, action: 'policy.change', detail: { mode: 'plan' }, requestId: 'r-1' },
      ])
    })

    it('refuses changes and deletions in the database itself', async () => {
      const { db } = ground()
      const audit = openAudit({ db })
      await audit.record({ actor: ann, action: 'policy.change' })
      await expect(sql`update audit_entry set action = 'nothing'`.execute(db)).rejects.toThrow('append-only')
      await expect(sql`delete from audit_entry`.execute(db)).rejects.toThrow('append-only')
      await expect(sql`delete from audit_term`.execute(db)).rejects.toThrow('append-only')
      expect((await audit.search()).entries).toHaveLength(1)
    })

    it('finds entries by each field, by time, and by words', async () => {
      const times = [1000, 2000, 3000, 4000]
      const audit = openAudit({ db: ground().db, clock: () => times.shift() ?? 9000 })
      await audit.record({ actor: ann, action: 'provider.key', target: { type: 'provider', id: 'shop' } })
      await audit.record({ actor: ann, action: 'provider.delete', target: { type: 'provider', id: 'other' } })
      await audit.record({ actor: bob, action: 'tool.approve', detail: { command: 'git push-it origin' } })
      await audit.record({ actor: 'system', action: 'tool.deny', detail: { note: '删除文件夹' }, outcome: 'denied' })
      const found = async (query: Parameters<typeof audit.search>[0]): Promise<string[]> =>
        (await audit.search(query)).entries.map(({ action }) => action)
      expect(await found({ actor: ann.id })).toEqual(['provider.delete', 'provider.key'])
      expect(await found({ actor: 'system' })).toEqual(['tool.deny'])
      expect(await found({ action: 'provider' })).toEqual(['provider.delete', 'provider.key'])
      expect(await found({ action: 'provider.key' })).toEqual(['provider.key'])
      expect(await found({ target: 'shop' })).toEqual(['provider.key'])
      expect(await found({ outcome: 'denied' })).toEqual(['tool.deny'])
      expect(await found({ from: 2000, to: 4000 })).toEqual(['tool.approve', 'provider.delete'])
      expect(await found({ text: 'GIT push' })).toEqual(['tool.approve'])
      expect(await found({ text: '删除文件' })).toEqual(['tool.deny'])
      expect(await found({ text: 'git nothing' })).toEqual([])
      expect(await found({ text: 'stone' })).toEqual(['tool.approve'])
      expect(await found({ actor: ann.id, text: 'shop', action: 'provider' })).toEqual(['provider.key'])
      expect(await found({ actor: 'nobody-known' })).toEqual([])
      expect(await found({ text: '"); drop table audit_entry; --' })).toEqual([])
    })

    it('pages without gaps or repeats, also within one millisecond', async () => {
      const audit = openAudit({ db: ground().db, clock: () => 5000 })
      await Promise.all(
        Array.from({ length: 250 }, (_, i) =>
          audit.record({
            actor: i % 2 === 0 ? ann : bob,
            action: 'session.delete',
            target: { type: 'n', id: `n${i}` },
          }),
        ),
      )
      const seen: string[] = []
      let before: string | undefined
      do {
        const page = await audit.search({ before, limit: 40, actor: ann.id })
        seen.push(...page.entries.map(({ target }) => target?.id ?? ''))
        before = page.next ?? undefined
      } while (before !== undefined)
      expect(seen).toHaveLength(125)
      expect(new Set(seen).size).toBe(125)
      const all = (await Array.fromAsync(audit.pages())).flat()
      expect(all.map(({ target }) => target?.id)).toEqual(Array.from({ length: 250 }, (_, i) => `n${249 - i}`))
    })

    it('takes entries of two nodes in the same millisecond', async () => {
      const { db } = ground()
      const nodes = [openAudit({ db, clock: () => 7000 }), openAudit({ db, clock: () => 7000 })]
      for (let i = 0; i < 40; i++)
        await Promise.all(nodes.map((audit) => audit.record({ actor: ann, action: 'a.b', detail: { i } })))
      expect((await nodes[0]!.search({ limit: 500 })).entries).toHaveLength(80)
    })

    it('never holds secrets', async () => {
      const { db } = ground()
      const audit = openAudit({ db, redact: (text) => text.replaceAll('known-secret', '***') })
      await audit.record({
        actor: ann,
        action: 'provider.key',
        detail: { apiKey: 'sk-live-1', nested: [{ Authorization: 'Bearer x', note: 'has known-secret in it' }] },
      })
      expect((await audit.search()).entries[0]?.detail).toEqual({
        apiKey: '[hidden]',
        nested: [{ Authorization: '[hidden]', note: 'has *** in it' }],
      })
      const stored = JSON.stringify([
        await db.selectFrom('audit_entry').selectAll().execute(),
        await db.selectFrom('audit_term').selectAll().execute(),
      ])
      for (const secret of ['sk-live-1', 'Bearer', 'known-secret']) expect(stored).not.toContain(secret)
    })

    it('keeps entries of a deleted person under an alias only', async () => {
      const { db } = ground()
      const audit = openAudit({ db })
      const about = { type: 'person', id: ann.id }
      await audit.record({
        actor: ann,
        action: 'session.share',
        address: '10.9.8.7',
        detail: { to: 'Ann@Shop.example' },
      })
      await audit.record({
        actor: bob,
        action: 'member.role',
        target: about,
        detail: { people: [ann.id], role: 'admin' },
      })
      expect((await audit.search({ target: ann.id })).entries[0]).toMatchObject({
        target: { type: 'person', name: 'Ann Lee' },
        detail: { people: ['Ann Lee'], role: 'admin' },
      })
      await audit.forget({ id: ann.id, email: 'ann@shop.example' })
      const { entries } = await audit.search()
      expect(entries.map(({ actor, action }) => [actor.name, action])).toEqual([
        ['Bob Stone', 'member.role'],
        [null, 'session.share'],
      ])
      expect(entries[1]).toMatchObject({ address: null, actor: { id: entries[0]?.target?.id } })
      const stored = JSON.stringify([
        await db.selectFrom('audit_entry').selectAll().execute(),
        await db.selectFrom('audit_term').selectAll().execute(),
        await db.selectFrom('audit_alias').selectAll().execute(),
      ])
      for (const trace of [ann.id, 'Ann', 'ann', 'Lee', '10.9.8.7', 'shop.example']) expect(stored).not.toContain(trace)
    })

    it('keeps strange and long values', async () => {
      const audit = openAudit({ db: ground().db })
      await audit.record({
        actor: { id: 'x', name: "O'Brien \u0000 \ud800" },
        action: 'a.b',
        target: { type: 'file', id: '/a/'.repeat(200) },
        detail: {
          long: 'x'.repeat(100_000),
          broken: '\ud800 a\u0000b',
          list: Array.from({ length: 1000 }, (_, i) => i),
        },
      })
      const [entry] = (await audit.search()).entries
      expect(JSON.stringify(entry?.detail).length).toBeLessThan(5000)
      expect((await audit.search({ target: '/a/'.repeat(200) })).entries).toHaveLength(1)
    })
  })
}
