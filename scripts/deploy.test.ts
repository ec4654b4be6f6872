import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type DatabaseServer, startPostgres } from '../packages/server/src/query/testing/database-servers.ts'

const root = path.resolve(import.meta.dirname, '..')
const chart = path.join(root, 'deploy/helm/troupe')
const read = (...names: string[]): string => readFileSync(path.join(root, ...names), 'utf8')

type Fields = Record<string, unknown>

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n')

  it('copies the package.json of every package, so that npm ci finds the workspaces', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
    for (const one of workspaces) expect(lines).toContain(`COPY ${one}/package.json ${one}/`)
  })

  it('runs as another user than root, with the Node that the project needs', () => {
    expect(lines.filter((line) => line.startsWith('FROM '))).toEqual([
      'FROM node:24-bookworm-slim AS build',
      'FROM node:24-bookworm-slim',
    ])
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER 10001:10001'])
    const used = [...read('Dockerfile').matchAll(/\/app\/(\S+?\.(?:mjs|sh))/g)].map(([, file]) => file as string)
    expect(used.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  })
})

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Fields> }

  it('has two nodes with homes of their own, one database, and shared folders', () => {
    const nodes = Object.entries(services).filter(([name]) => name.startsWith('node-'))
    expect(nodes).toHaveLength(2)
    const volumes = nodes.map(([, { volumes: own }]) => own as string[])
    expect(new Set(volumes.map(([home]) => home)).size).toBe(2)
    for (const [, shared] of volumes) expect(shared).toBe('workspaces:/workspaces')
    for (const [, { ports }] of nodes) expect((ports as string[])[0]).toMatch(/^127\.0\.0\.1:/)
  })

  it('holds no secret itself', () => {
    const secrets = Object.values(services).flatMap(({ environment = {} }) =>
      Object.entries(environment as Record<string, string>).filter(([name]) => /KEY|PASSWORD|TOKEN|URL/.test(name)),
    )
    expect(secrets.length).toBeGreaterThan(5)
    expect(secrets.filter(([, value]) => !/\$\{\w+:[?-]/.test(value))).toEqual([])
  })
})

describe('Helm chart', () => {
  const values = parse(readFileSync(path.join(chart, 'values.yaml'), 'utf8')) as Fields
  const files = readdirSync(path.join(chart, 'templates'))
  const set = (changes: Fields): Fields => merge(structuredClone(values), changes)
  const secret = { databaseUrl: 'postgres://a', secretKey: 'k' }
  const rendered = (given: Fields): Map<string, Fields> =>
    new Map(
      files.flatMap((file) => {
        const text = render(readFileSync(path.join(chart, 'templates', file), 'utf8'), given)
        const object = parse(text) as Fields | null
        return object === null ? [] : [[String(object['kind']), object] as const]
      }),
    )

  it('makes valid objects, without and with its options', () => {
    expect([...rendered(set({ secret })).keys()].toSorted()).toEqual([
      'Deployment',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ])
    const all = rendered(
      set({
        existingSecret: 'ours',
        workspaces: { existingClaim: 'shared' },
        autoscaling: { enabled: true },
        ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' } },
      }),
    )
    expect([...all.keys()].toSorted()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'PodDisruptionBudget',
      'Service',
    ])
    expect(JSON.stringify(all.get('Deployment'))).toContain('"name":"ours"')
    expect((all.get('Deployment') as { spec: Fields }).spec).not.toHaveProperty('replicas')
    expect(JSON.stringify(all.get('HorizontalPodAutoscaler'))).toContain('troupe_queue_depth')
  })

  it('probes the endpoints that exist, runs as another user, and takes secrets from the secret', () => {
    const deployment = rendered(set({ secret })).get('Deployment') as {
      spec: { template: { spec: { securityContext: Fields; containers: [Fields] } } }
    }
    const { securityContext, containers } = deployment.spec.template.spec
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
    const [container] = containers
    expect(container).toMatchObject({
      readinessProbe: { httpGet: { path: '/ready' } },
      livenessProbe: { httpGet: { path: '/health' } },
      resources: values['resources'],
    })
    for (const { name, value } of container['env'] as { name: string; value?: string }[])
      expect(value === undefined).toBe(name !== 'TROUPE_PUBLIC_URL')
  })

  it('refuses to install without its secrets', () => {
    expect(() => rendered(values)).toThrow('secret.databaseUrl is missing')
  })
})

describe.runIf(existsSync('/usr/lib/postgresql'))('backup and restore', () => {
  const run = promisify(execFile)
  let server: DatabaseServer
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-backup-'))
    const sql = `create table schema_version (version int); insert into schema_version values (12);
      create table note (text text); insert into note values ('kept'); create database other; create database third;
      create role "odd user" superuser login password 'p@ss:w/rd %41 ü'`
    server = (await startPostgres('select 1')) as DatabaseServer
    for (const statement of sql.split(';')) await psql('postgres', statement)
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  const psql = async (database: string, statement: string): Promise<string> => {
    const { host, port, user, password } = server.connection
    const args = ['-h', host as string, '-p', String(port), '-U', user, '-d', database, '-Atc', statement]
    return (await run('psql', args, { env: { ...process.env, PGPASSWORD: password } })).stdout.trim()
  }
  const script = (name: string, database: string, ...args: string[]) => {
    const login = `${encodeURIComponent('odd user')}:${encodeURIComponent('p@ss:w/rd %41 ü')}`
    const url = `postgres://${login}@127.0.0.1:${server.connection.port}/${database}?sslmode=prefer`
    return run(path.join(root, 'scripts', name), args, { env: { PATH: process.env['PATH'], TROUPE_DATABASE_URL: url } })
  }

  it('brings back the database and the blobs, into an empty database only', async () => {
    const blobs = path.join(folder, 'blobs')
    mkdirSync(path.join(blobs, 'ab'), { recursive: true })
    writeFileSync(path.join(blobs, 'ab', 'abcd'), 'bytes')
    const backup = path.join(folder, 'one')
    await script('backup.sh', 'postgres', backup, blobs)
    expect(readdirSync(backup).toSorted()).toEqual(['SHA256SUMS', 'about.txt', 'blobs.tar', 'database.dump'])
    expect(statSync(backup).mode & 0o077).toBe(0)
    expect(readFileSync(path.join(backup, 'about.txt'), 'utf8')).toContain('schema 12')
    await expect(script('backup.sh', 'postgres', backup)).rejects.toThrow('exists already')
    await expect(script('restore.sh', 'postgres', backup, blobs)).rejects.toThrow('not empty')
    await expect(script('restore.sh', 'other', backup)).rejects.toThrow('name the folder')
    await script('restore.sh', 'other', backup, path.join(folder, 'restored'))
    expect(await psql('other', 'select text from note')).toBe('kept')
    expect(readFileSync(path.join(folder, 'restored', 'ab', 'abcd'), 'utf8')).toBe('bytes')
  })

  it('refuses a damaged backup and leaves the database empty', async () => {
    const backup = path.join(folder, 'two')
    await script('backup.sh', 'postgres', backup)
    writeFileSync(path.join(backup, 'database.dump'), 'x', { flag: 'a' })
    await expect(script('restore.sh', 'third', backup)).rejects.toThrow('damaged')
    expect(await psql('third', "select count(*) from pg_tables where schemaname = 'public'")).toBe('0')
  })
})

function merge(target: Fields, changes: Fields): Fields {
  for (const [key, value] of Object.entries(changes)) {
    const known = target[key]
    const isDeep = typeof value === 'object' && value !== null && typeof known === 'object' && known !== null
    target[key] = isDeep ? merge(known as Fields, value as Fields) : value
  }
  return target
}

/** Renders the part of Helm's template language that the chart uses. Throws for anything else. */
function render(template: string, values: Fields): string {
  const context = { Values: values, Release: { Name: 'demo' }, Chart: { AppVersion: '1.0' } }
  const lookUp = (name: string): unknown =>
    name
      .slice(1)
      .split('.')
      .reduce<unknown>((at, key) => {
        if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) throw new Error(`no value ${name}`)
        return (at as Fields)[key]
      }, context)
  const kept: boolean[] = []
  const lines = template.split('\n').flatMap((line) => {
    const control = /^\{\{- (if(?: not)?|end)(?: (\.\S+))? \}\}$/.exec(line.trim())
    if (control !== null) {
      const [, word = '', name = ''] = control
      if (word === 'end') kept.pop()
      else kept.push(Boolean(lookUp(name)) !== word.endsWith('not'))
      return []
    }
    return kept.includes(false) ? [] : [line]
  })
  if (kept.length > 0) throw new Error('an if without its end')
  return lines.join('\n').replaceAll(/\{\{-? (.+?) \}\}/g, (_, expression: string) => evaluate(expression, lookUp))
}

function evaluate(expression: string, lookUp: (name: string) => unknown): string {
  const [head = '', ...pipes] = expression.split(' | ')
  const [, text, required] = /^(?:required "([^"]+)" )?(\.\S+)$/.exec(head) ?? []
  const yaml = /^toYaml (\.\S+)$/.exec(head)?.[1]
  let value = lookUp(yaml ?? required ?? head)
  if (text !== undefined && !value) throw new Error(text)
  for (const pipe of pipes) {
    const [name, argument = ''] = pipe.split(' ')
    if (name === 'quote') value = JSON.stringify(String(value))
    else if (name === 'default') value = value || lookUp(argument)
    // JSON is YAML, on one line.
    else if (name === 'nindent') value = `\n${' '.repeat(Number(argument))}${JSON.stringify(value)}`
    else throw new Error(`${name} is not known here`)
  }
  return String(value)
}
