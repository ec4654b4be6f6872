import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { openBrowsers } from './open-browsers.ts'

test('local addresses are refused without asking, except those the user allows', async () => {
  const browsers = openBrowsers({
    home: tmpdir(),
    env: {},
    settings: () => ({ allow: ['localhost:4799', '10.0.0.7'] }),
    ownPort: () => 5000,
  })
  const refusal = async (url: string) => browsers.refusalOf?.(new URL(url))
  expect(await refusal('http://localhost:4798/')).toContain('Settings > General > Agent browser')
  expect(await refusal('http://localhost:5000/')).toContain('not on the public web')
  expect(await refusal('http://10.0.0.8/')).toContain('a private network')
  expect(
    await Promise.all(
      ['http://localhost:4799/', 'http://127.0.0.1:4799/', 'http://10.0.0.7/', 'https://a.test/'].map(refusal),
    ),
  ).toEqual(Array.from({ length: 4 }))
  await browsers.close()
})
