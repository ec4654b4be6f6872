import { describe, expect, it } from 'vitest'
import { openPersonKeys } from '../person-keys.ts'
import { openKeyRing } from '../secret-keys.ts'
import { openSecrets, type Secrets } from '../secrets.ts'
import { openTeamConfig } from '../team-config.ts'
import { openTeamLogins } from '../team-logins.ts'
import { type ChangeSignal, createLocalSignal, openTeamSettings, type TeamSettings } from '../team-settings.ts'
import type { TestDatabase } from './databases.ts'

const logger = (): void => undefined

export function settingsContract(ground: () => TestDatabase): void {
  describe('settings of a team', () => {
    async function node(signal: ChangeSignal): Promise<{ settings: TeamSettings; secrets: Secrets }> {
      const { db } = ground()
      const keys = await openKeyRing({ db, env: { TROUPE_SECRET_KEY: 'a-secret-key-of-more-than-32-characters' } })
      return { settings: openTeamSettings({ db, signal, logger, pollMs: 1e6 }), secrets: openSecrets({ db, keys }) }
    }

    it('keeps the config, with its secrets encrypted and apart', async () => {
      const one = await node(createLocalSignal())
      const config = await openTeamConfig(one)
      expect(config.get()).toEqual({})
      const given = {
        model: 'shop/large',
        providers: {
          shop: { apiKey: 'sk-1', headers: { 'X-Key': 'sk-2' }, baseURL: 'https://me:sk-3@shop.example/v1' },
        },
        mcpServers: {
          files: { command: 'files', env: { TOKEN: 'sk-4' } },
          web: { url: 'https://x.example', oauth: { clientId: 'c', clientSecret: 'sk-5' } },
        },
        search: { provider: 'brave', apiKey: 'sk-6' },
        connections: { shop: { type: 'postgres' as const, database: 'd', user: 'u', password: 'sk-7' } },
        'a/b': { '~1': 'kept' },
      }
      await config.update(() => given)
      expect(config.get()).toEqual(given)
      const { db } = ground()
      const stored = JSON.stringify([
        await db.selectFrom('team_setting').selectAll().execute(),
        await db.selectFrom('secret').selectAll().execute(),
      ])
      expect(stored).toContain('shop/large')
      expect(stored).not.toContain('sk-')
      const again = await openTeamConfig(await node(createLocalSignal()))
      expect(again.get()).toEqual(given)
      await again.update(({ providers: _, ...rest }) => rest)
      expect((await db.selectFrom('secret').select('name').execute()).map(({ name }) => name).join()).not.toContain(
        'providers',
      )
      await expect(again.update(() => ({ model: 7 }) as never)).rejects.toMatchObject({ name: 'BadConfig' })
      expect(again.get().model).toBe('shop/large')
    })

    it('reaches other nodes by the signal, and without it when they look again', async () => {
      const signal = createLocalSignal()
      const [one, two, deaf] = [await node(signal), await node(signal), await node(createLocalSignal())]
      const [first, second, third] = await Promise.all([one, two, deaf].map(openTeamConfig))
      await first!.update((now) => ({ ...now, model: 'shop/small' }))
      await two.settings.refresh()
      expect(second!.get().model).toBe('shop/small')
      expect(third!.get().model).toBeUndefined()
      await deaf.settings.refresh()
      expect(third!.get().model).toBe('shop/small')
    })

    it('loses no change of several nodes at once', async () => {
      const nodes = await Promise.all([1, 2, 3].map(() => node(createLocalSignal())))
      const configs = await Promise.all(nodes.map(openTeamConfig))
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          configs[i % 3]!.update((now) => ({ ...now, disabledSkills: [...(now.disabledSkills ?? []), `s${i}`] })),
        ),
      )
      await nodes[0]!.settings.refresh()
      expect(configs[0]!.get().disabledSkills?.toSorted()).toEqual(
        Array.from({ length: 12 }, (_, i) => `s${i}`).toSorted(),
      )
    })

    it('keeps logins of MCP servers encrypted, and shows them at once', async () => {
      const signal = createLocalSignal()
      const one = await node(signal)
      const logins = await openTeamLogins({ ...one, logger })
      logins.write('https://x.example', { tokens: { access_token: 'sk-8' } })
      expect(logins.read('https://x.example')).toEqual({ tokens: { access_token: 'sk-8' } })
      const two = await node(signal)
      const others = await openTeamLogins({ ...two, logger })
      await expect
        .poll(async () => {
          await two.settings.refresh()
          return others.read('https://x.example')
        })
        .toEqual({ tokens: { access_token: 'sk-8' } })
      expect(JSON.stringify(await ground().db.selectFrom('secret').selectAll().execute())).not.toContain('sk-8')
      logins.remove('https://x.example')
      expect(logins.read('https://x.example')).toBeUndefined()
    })

    it('keeps the keys of people apart', async () => {
      const signal = createLocalSignal()
      const { secrets } = await node(signal)
      const [here, there] = [openPersonKeys({ secrets, signal }), openPersonKeys({ secrets, signal })]
      expect(await there.of('ann')).toBeUndefined()
      await here.set('ann', 'shop', 'sk-ann')
      const keys = await there.of('ann')
      expect(keys).toEqual({ shop: { apiKey: 'sk-ann', enabled: true } })
      expect(await there.of('ann')).toBe(keys)
      expect(await there.of('bob')).toBeUndefined()
      expect(there.known()).toEqual(['sk-ann'])
      expect(await here.list('ann')).toEqual(['shop'])
      await here.set('ann', 'shop', undefined)
      expect(await there.of('ann')).toBeUndefined()
    })
  })
}
