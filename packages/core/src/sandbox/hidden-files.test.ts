import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SecretFinder } from './hidden-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'troupe-secrets-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function write(name: string, content = 'x'): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
  writeFileSync(path.join(root, name), content)
}

test('secrets are found by name, at any depth, even where git does not look', async () => {
  const secrets = ['.env', '.env.local', 'a/b/c/.env', 'deploy/id_rsa', 'prod.env', 'credentials.json', 'ignored/x.key']
  for (const name of [...secrets, '.env.example', 'id_rsa.pub', 'environment.ts', 'node_modules/x/.env', '.git/x.key'])
    write(name)
  write('.ssh/config')
  write('.ssh/id_ed25519')
  write('.gitignore', 'ignored\n.env\n')
  const found = await new SecretFinder().within(root)
  expect(found.toSorted()).toEqual([...secrets, '.ssh'].map((name) => path.join(root, name)).toSorted())
})

test('settings and certificates are secret only with a secret in them', async () => {
  write('.npmrc', 'registry=https://example.com\n//example.com/:_authToken=${TOKEN}\n')
  write('sub/.npmrc', '//example.com/:_authToken=abc\n')
  write('.yarnrc.yml', 'nodeLinker: node-modules\n')
  write('ca.pem', '-----BEGIN CERTIFICATE-----')
  write('key.pem', '-----BEGIN RSA PRIVATE KEY-----')
  const found = await new SecretFinder().within(root)
  expect(found.toSorted()).toEqual([path.join(root, 'key.pem'), path.join(root, 'sub/.npmrc')])
})

test('a secret that was added since the last look is found by the next command', async () => {
  const finder = new SecretFinder({ patienceMs: 20_000 })
  expect(await finder.within(root)).toEqual([])
  write('.env')
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 2000)
  expect(await finder.within(root)).toEqual([path.join(root, '.env')])
})

test('a missing folder has none', async () => {
  expect(await new SecretFinder().within(path.join(root, 'gone'))).toEqual([])
})
