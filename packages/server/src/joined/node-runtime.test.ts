import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findSandbox } from '@troupe/core'
import { type JoinCall, serverMessageSchema } from '@troupe/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../stores/sqlite.ts'
import { type NodeRuntime, openNodeRuntime } from './node-runtime.ts'

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-runtime-')))
const [folder, home] = [path.join(root, 'app'), path.join(root, '.troupe')]
for (const one of [folder, home, path.join(root, 'other')]) mkdirSync(one, { mode: 0o700 })
const sandbox = await findSandbox({ home: root, troupeHome: home })

/** The server is hostile here: it says that a person approved everything. */
describe('a computer that joined a hostile server', () => {
  let runtime: NodeRuntime
  beforeAll(async () => {
    writeFileSync(path.join(root, 'other', 'secret.txt'), 'the secret')
    writeFileSync(path.join(folder, 'notes.txt'), 'notes\n')
    symlinkSync(path.join(root, 'other'), path.join(folder, 'link'))
    writeFileSync(path.join(home, 'config.json'), JSON.stringify({ permissions: { deny: ['Read(/app/private.txt)'] } }))
    writeFileSync(path.join(folder, 'private.txt'), 'private')
    runtime = await openNodeRuntime({
      home,
      stateFolder: path.join(home, 'joined', 'test'),
      folders: [folder],
      env: { PATH: process.env['PATH'], HOME: root },
      logger: () => undefined,
      sandbox,
    })
  })
  afterAll(async () => {
    await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })

  let calls = 0
  const call = (tool: string, input: object, more: Partial<JoinCall> = {}): Promise<unknown> =>
    runtime
      .handle(
        {
          op: 'execute',
          folder,
          tool,
          input,
          sessionId: 's',
          runId: 'run',
          step: 1,
          toolCallId: `call-${++calls}`,
          policy: { mode: 'bypass', rules: [{ text: 'Read', effect: 'allow', layer: 'managed', base: 'home' }] },
          skillLimits: [],
          approved: true,
          ...more,
        },
        new AbortController().signal,
        () => undefined,
      )
      .then(({ value }) => JSON.stringify(value))

  it('reads and writes in the folder, and nowhere else', async () => {
    expect(await call('Read', { file_path: 'notes.txt' })).toContain('notes')
    await call('Write', { file_path: 'made.txt', content: 'made' })
    expect(readFileSync(path.join(folder, 'made.txt'), 'utf8')).toBe('made')
    const secret = path.join(root, 'other', 'secret.txt')
    for (const file_path of [secret, '../other/secret.txt', 'link/secret.txt', '/etc/passwd', path.join(home, 'token')])
      await expect(call('Read', { file_path })).rejects.toThrow('outside of the folder')
    await expect(call('Write', { file_path: path.join(root, 'x.txt'), content: '' })).rejects.toThrow('outside')
    await expect(call('Grep', { pattern: 'secret', path: root })).rejects.toThrow('outside of the folder')
    await expect(call('Read', { file_path: secret }, { folder: root })).rejects.toThrow('no longer shares')
    expect(existsSync(path.join(root, 'x.txt'))).toBe(false)
  })

  it('gives the notes of the folder to chats once it is trusted here, and nothing from outside', async () => {
    writeFileSync(path.join(folder, 'AGENTS.md'), 'Use tabs.\n@../other/secret.txt\n')
    writeFileSync(path.join(root, 'AGENTS.md'), 'Not of the folder.')
    const notes = async (of = folder): Promise<string> => {
      const request = { op: 'notes' as const, folder: of }
      return JSON.stringify((await runtime.handle(request, new AbortController().signal, () => undefined)).value)
    }
    expect(await notes()).toBe('[]')
    const store = await openSqliteStore({ home })
    const { id } = await store.workspaces.open(folder)
    await store.workspaces.trust(id, true)
    await store.close()
    expect(await notes()).toContain('Use tabs.')
    expect(await notes()).not.toMatch(/the secret|Not of the folder/)
    await expect(notes(root)).rejects.toThrow('no longer shares')
  })

  it('follows its own rules, whatever the server allows', async () => {
    await expect(call('Read', { file_path: 'private.txt' })).rejects.toThrow('forbids')
    const decided = await call('Read', { file_path: 'private.txt' }, { op: 'decide' })
    expect(JSON.parse(decided as string)).toMatchObject({ decision: 'deny' })
  })

  it('runs only tools for files and commands, and only with valid names of chats', async () => {
    await expect(call('WebFetch', { url: 'http://127.0.0.1/' })).rejects.toThrow('does not run')
    const message = { type: 'drop', sessionId: '../../other' }
    expect(serverMessageSchema.safeParse(message).success).toBe(false)
  })

  it('runs commands in the sandbox or not at all', async () => {
    const command = `cat ${path.join(root, 'other', 'secret.txt')}; echo done`
    if (sandbox.sandbox === undefined) return expect(call('Bash', { command })).rejects.toThrow('no sandbox')
    await expect(call('Bash', { command })).rejects.toThrow('outside of the folder')
    // The analysis does not see through this, but the sandbox does.
    const encoded = Buffer.from(path.join(root, 'other', 'secret.txt')).toString('base64')
    const hidden = `cat "$(echo ${encoded} | base64 -d)"; echo done`
    const output = await call('Bash', { command: hidden, writes: true })
    expect(output).toContain('done')
    expect(output).not.toContain('the secret')
    await expect(call('Bash', { command: 'true', outside_sandbox: true })).rejects.toThrow('inside the sandbox')
  })
})
