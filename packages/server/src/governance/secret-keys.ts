import { spawn } from 'node:child_process'
import { createHash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { NamedError } from '@troupe/protocol'
import { z } from 'zod'
import type { Db } from '../stores/sql/context.ts'

export interface SecretKey {
  id: string
  bytes: Buffer
}

/** The keys that encrypt secrets: the current one, and older ones that stored values may still need. */
export interface KeyRing {
  current(): SecretKey
  /** Undefined if the key is unknown. Looks again, since another node may have made it. */
  find(id: string): Promise<SecretKey | undefined>
  /** Creates a new current key. Does nothing if the key comes from the environment. */
  renew(): Promise<void>
}

const minLength = 32

/** With a command, data keys are random and stored wrapped by it. Else they are derived from the environment. */
export async function openKeyRing(options: {
  env: NodeJS.ProcessEnv
  db: Db
  kmsCommand?: readonly string[] | undefined
}): Promise<KeyRing> {
  const { env, db, kmsCommand } = options
  return kmsCommand === undefined ? openEnvironmentKeys(env) : openManagedKeys(db, kmsCommand, env)
}

async function openEnvironmentKeys(env: NodeJS.ProcessEnv): Promise<KeyRing> {
  const given = env['TROUPE_SECRET_KEY'] ?? ''
  if (given === '')
    throw new NamedError(
      'SecretKeyMissing',
      'Team mode encrypts secrets. Set TROUPE_SECRET_KEY, for example to the output of "openssl rand -base64 32".',
    )
  const old = (env['TROUPE_SECRET_KEYS_OLD'] ?? '').split(',').map((key) => key.trim())
  const keys = await Promise.all([given.trim(), ...old.filter((key) => key !== '')].map(deriveKey))
  const [current] = keys as [SecretKey, ...SecretKey[]]
  return {
    current: () => current,
    find: async (id) => keys.find((key) => key.id === id),
    renew: async () => undefined,
  }
}

const derive = promisify<string, string, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

/** Slow on purpose, because the text may be a passphrase. So a process derives each key once. */
const derived = new Map<string, Promise<SecretKey>>()

async function deriveKey(text: string): Promise<SecretKey> {
  if (text.length < minLength)
    throw new NamedError(
      'SecretKeyTooShort',
      `A secret key has at least ${minLength} characters. Use the output of "openssl rand -base64 32".`,
    )
  const known = derived.get(text) ?? stretch(text)
  derived.set(text, known)
  return known
}

async function stretch(text: string): Promise<SecretKey> {
  const bytes = await derive(text, 'troupe secrets', 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 })
  return { id: keyId(bytes), bytes }
}

function keyId(bytes: Buffer): string {
  return createHash('sha256').update('troupe key id').update(bytes).digest('hex').slice(0, 12)
}

async function openManagedKeys(db: Db, command: readonly string[], env: NodeJS.ProcessEnv): Promise<KeyRing> {
  const known = new Map<string, SecretKey>()
  let newest = await load()
  if (newest === undefined) {
    await create()
    // Two nodes may each have made one. All use the newest.
    newest = await load()
  }
  return {
    current: () => newest as SecretKey,
    async find(id) {
      if (!known.has(id)) newest = await load()
      return known.get(id)
    },
    async renew() {
      await create()
      newest = await load()
    },
  }

  async function load(): Promise<SecretKey | undefined> {
    const rows = await db.selectFrom('data_key').selectAll().orderBy('created_at').orderBy('id').execute()
    for (const { id, wrapped } of rows) {
      if (known.has(id)) continue
      const { key } = unwrappedSchema.parse(await askKms(command, { action: 'unwrap', wrapped }, env))
      const bytes = Buffer.from(key, 'base64')
      if (keyId(bytes) !== id)
        throw new NamedError('KmsFailed', `The key service returned another key than the one stored as ${id}.`)
      known.set(id, { id, bytes })
    }
    const last = rows.at(-1)
    return last && known.get(last.id)
  }

  async function create(): Promise<void> {
    const bytes = randomBytes(32)
    const { wrapped } = wrappedSchema.parse(
      await askKms(command, { action: 'wrap', key: bytes.toString('base64') }, env),
    )
    await db
      .insertInto('data_key')
      .values({ id: keyId(bytes), wrapped, created_at: Date.now() })
      .execute()
  }
}

const wrappedSchema = z.object({ wrapped: z.string().min(1).max(20_000) })
const unwrappedSchema = z.object({ key: z.base64() })
const kmsTimeoutMs = 30_000
const maxAnswer = 64 * 1024

/** Runs the program with one JSON object on its input. It writes one JSON object to its output. */
function askKms([program = '', ...args]: readonly string[], request: object, env: NodeJS.ProcessEnv): Promise<unknown> {
  const { TROUPE_SECRET_KEY: _, TROUPE_SECRET_KEYS_OLD: __, TROUPE_DATABASE_URL: ___, ...rest } = env
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(new NamedError('KmsFailed', `The key service "${program}" failed: ${reason}.`))
    const child = spawn(program, args, { env: rest, stdio: ['pipe', 'pipe', 'ignore'], timeout: kmsTimeoutMs })
    let answer = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text
      if (answer.length > maxAnswer) child.kill()
    })
    child.once('error', (error) => fail(error.message))
    child.once('close', (code) => {
      if (code !== 0) return fail(code === null ? 'it was ended, or took too long' : `it ended with code ${code}`)
      try {
        resolve(JSON.parse(answer))
      } catch {
        fail('its output is not JSON')
      }
    })
    // A program that ends early closes its input. Its exit code tells why.
    child.stdin.on('error', () => undefined)
    child.stdin.end(`${JSON.stringify(request)}\n`)
  })
}
