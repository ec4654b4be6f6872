import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configSchema } from '../config/config.ts'
import { checkTeamOptions, readTeamOptions } from './options.ts'

const guide = readFileSync(new URL('../../../../docs/guides/team.md', import.meta.url), 'utf8')

it('the settings in the guide are valid and serve other machines', () => {
  const [, text = ''] = /```json\n(.*?)```/s.exec(guide) ?? []
  const { team } = configSchema.parse(JSON.parse(text))
  const names = [...guide.matchAll(/^export (TROUPE_\w+)=(\S+)/gm)].map(([, name, value]) => [name, value])
  const env = {
    ...Object.fromEntries(names),
    TROUPE_SECRET_KEY: 'k'.repeat(44),
    CORP_CLIENT_SECRET: 'secret',
  } as NodeJS.ProcessEnv
  const options = readTeamOptions(env, team)
  expect(options).toMatchObject({
    publicUrl: 'https://troupe.example.com',
    databaseUrl: expect.stringMatching(/^postgres:/) as string,
    providers: [{ id: 'corp', clientSecret: 'secret', domains: ['example.com'] }],
  })
  const checked = checkTeamOptions(options, '0.0.0.0')
  expect(['10.0.0.5', '10.1.2.3', '10.2.0.1'].map((address) => checked.isTrustedProxy(address))).toEqual([
    true,
    true,
    false,
  ])
})
