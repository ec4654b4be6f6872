import { describe, expect, it } from 'vitest'
import { type ContractSetup, message } from './builders.ts'

const at = { sessionId: 's1' }

export function searchContract(ground: () => ContractSetup): void {
  describe('search', () => {
    it('finds parts of words in any script, and marks them', async () => {
      const { store, workspaceId } = ground()
      await store.messages.add(at, message('u1', null, 'Wie wird das Wetter? 今天天气怎么样，我想出去玩。'))
      await store.messages.add(at, message('a1', 'u1', 'Die Äpfel blühen, Ｆｕｌｌ width, café and \u0000 null'))
      const found = async (query: string) =>
        (await store.messages.search({ workspaceId, query })).map((hit) => `${hit.messageId}: ${hit.snippet}`)
      expect(await found('天气怎')).toEqual(['u1: Wie wird das Wetter? 今天\uE000天气怎\uE001么样，我想出去玩。'])
      expect(await found('天气')).toEqual(['u1: Wie wird das Wetter? 今天\uE000天气\uE001怎么样，我想出去玩。'])
      expect(await found('玩')).toHaveLength(1)
      expect(await found('WETT wird')).toEqual([
        'u1: Wie \uE000wird\uE001 das \uE000Wett\uE001er? 今天天气怎么样，我想出去玩。',
      ])
      expect(await found('apfel')).toEqual(['a1: Die \uE000Äpfel\uE001 blühen, Ｆｕｌｌ width, café and null'])
      expect(await found('full CAFE')).toHaveLength(1)
      expect(await found('"wird das"')).toHaveLength(1)
      expect(await found('"das wird"')).toEqual([])
      expect(await found('wetter nirgends')).toEqual([])
    })

    it('finds words of one and two characters anywhere, including replaced text', async () => {
      const { store, workspaceId } = ground()
      const found = async (query: string) =>
        (await store.messages.search({ workspaceId, query })).map(({ messageId }) => messageId)
      await store.messages.add(at, message('u1', null, '珍珠'))
      await store.messages.add(at, message('u2', null, 'in the middle:珍珠很美, タワーと猫'))
      await store.messages.add(at, message('u3', null, 'at the end 是珍珠'))
      await store.messages.add(at, message('u4', null, '珍 珠 apart, 𠮷野家'))
      expect(await found('珍珠')).toEqual(['u3', 'u2', 'u1'])
      expect(await found('珠')).toEqual(['u4', 'u3', 'u2', 'u1'])
      expect(await found('珍珠 美 middle')).toEqual(['u2'])
      expect(await found('珍 𠮷')).toEqual(['u4'])
      expect(await found('猫')).toEqual(['u2'])
      expect(await found('ワー')).toEqual(['u2'])
      expect(await found('珍珠 in')).toEqual(['u2'])
      expect((await store.sessions.list({ workspaceId, query: '珍珠' })).sessions).toHaveLength(1)
      await store.messages.replace(at, { id: 'u3', parts: [{ type: 'text', text: '是玉石' }] })
      await store.messages.remove(at, 'u1')
      expect(await found('珍珠')).toEqual(['u2'])
      expect(await found('玉石')).toEqual(['u3'])
      await store.sessions.delete('s1')
      expect(await found('玉石')).toEqual([])
    })

    it('treats any input as plain words', async () => {
      const { store, workspaceId } = ground()
      await store.messages.add(at, message('u1', null, 'say "hi" AND (100% OR x_y) NEAR* a:b -c ^d {e} \'f\' \\g'))
      const queries = [
        '"',
        '""',
        '"hi',
        'AND',
        'NOT',
        'OR x_y)',
        '(100%',
        'NEAR*',
        'a:b',
        '-c',
        '^d {e}',
        "'f'",
        '\\g',
        '%',
        '_',
      ]
      for (const query of queries) await store.messages.search({ workspaceId, query })
      expect(await store.messages.search({ workspaceId, query: '(100% OR' })).toHaveLength(1)
      expect(await store.messages.search({ workspaceId, query: '1_0' })).toEqual([])
      expect(await store.messages.search({ workspaceId, query: 'x_' })).toHaveLength(1)
      expect(await store.messages.search({ workspaceId, query: 'a%' })).toEqual([])
      expect(await store.messages.search({ workspaceId, query: '   ' })).toEqual([])
      expect(await store.messages.search({ workspaceId, query: 'word '.repeat(5000) })).toEqual([])
    })

    it('follows replaced messages, and searches only visible text', async () => {
      const { store, workspaceId } = ground()
      const found = async (query: string) => (await store.messages.search({ workspaceId, query })).length
      await store.messages.add(at, message('u1', null, 'original'))
      await store.messages.replace(at, { id: 'u1', parts: [{ type: 'text', text: 'different' }] })
      expect([await found('original'), await found('different')]).toEqual([0, 1])
      await store.messages.replace(at, { id: 'u1', parts: [{ type: 'reasoning', text: 'different' }] })
      expect(await found('different')).toBe(0)
      await store.messages.add(at, message('x1', 'u1', 'different', { role: 'system' }))
      expect(await found('different')).toBe(0)
    })

    it('finds nothing in another workspace', async () => {
      const { store, workspaceId, otherWorkspaceId } = ground()
      await store.sessions.create({ id: 's2', workspaceId: otherWorkspaceId, title: 'plans of others' })
      await store.messages.add({ sessionId: 's2' }, message('u1', null, 'a secret plan'))
      await store.messages.add(at, message('u1', null, 'a public plan'))
      for (const query of ['plan', 'pl', 'secret', 'others']) {
        const hits = await store.messages.search({ workspaceId, query })
        const { sessions } = await store.sessions.list({ workspaceId, query })
        expect(hits.filter((hit) => hit.sessionId === 's2')).toEqual([])
        expect(sessions.filter((session) => session.id === 's2')).toEqual([])
      }
      expect(await store.messages.search({ workspaceId, query: 'plan', sessionId: 's2' })).toEqual([])
      expect(await store.messages.search({ workspaceId: otherWorkspaceId, query: 'secret' })).toHaveLength(1)
    })

    it('lists sessions whose title or messages match', async () => {
      const { store, workspaceId } = ground()
      await store.sessions.create({ id: 's2', workspaceId, title: 'Ärger mit Zügen' })
      await store.messages.add(at, message('u1', null, 'first words of a long message that goes on about elephants'))
      const found = async (query: string) =>
        (await store.sessions.list({ workspaceId, query })).sessions.map((session) => session.id)
      expect(await found('arger')).toEqual(['s2'])
      expect(await found('zü')).toEqual(['s2'])
      expect(await found('elephants')).toEqual(['s1'])
      expect(await found('giraffes')).toEqual([])
      await store.sessions.update('s2', { title: 'Renamed' })
      expect(await found('arger')).toEqual([])
      expect(await found('renam')).toEqual(['s2'])
      expect((await found('')).toSorted()).toEqual(['s1', 's2'])
    })

    it('gives the newest hits first, up to a limit, with title, role and time', async () => {
      const { store, workspaceId } = ground()
      for (let i = 0; i < 30; i++) await store.messages.add(at, message(`u${i}`, null, `needle ${i}`, { createdAt: i }))
      const hits = await store.messages.search({ workspaceId, query: 'needle', limit: 3 })
      expect(hits.map((hit) => hit.messageId)).toEqual(['u29', 'u28', 'u27'])
      expect(hits[0]).toEqual({
        sessionId: 's1',
        messageId: 'u29',
        title: 'needle 0',
        role: 'user',
        snippet: '\uE000needle\uE001 29',
        createdAt: 29,
      })
    })

    it('finds words in a text with more pairs of characters than a book has', async () => {
      const { store, workspaceId } = ground()
      // Every pair occurs once.
      const characters = Array.from({ length: 120_000 }, (_, i) =>
        String.fromCodePoint(0x4e00 + ((i * (1 + Math.floor(i / 20_000))) % 20_000)),
      )
      await store.messages.add(at, message('u1', null, characters.join('')))
      for (const place of [5, 65_000, 119_990]) {
        const query = characters.slice(place, place + 2).join('')
        expect(await store.messages.search({ workspaceId, query })).toHaveLength(1)
      }
      expect(await store.messages.search({ workspaceId, query: '丁丁丁' })).toEqual([])
    })

    it('shows the text around a hit deep in a long message', async () => {
      const { store, workspaceId } = ground()
      await store.messages.add(at, message('u1', null, `${'İstanbul ä '.repeat(2000)}needle${' tail'.repeat(2000)}`))
      const [hit] = await store.messages.search({ workspaceId, query: 'needle' })
      expect(hit!.snippet).toContain('\uE000needle\uE001 tail')
      expect(hit!.snippet.length).toBeLessThan(200)
    })
  })
}
