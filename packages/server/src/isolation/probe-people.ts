import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findBash, type Isolation, startProcess } from '@troupe/core'

interface Probed {
  admit(workspace: string): Promise<void>
  of(personId: string, workspace: string): Isolation
}

/** Prints the problems, then a last line. */
const script = `
[ "$(id -u)" = "$1" ] || echo 'programs do not run as the user of the member'
(echo x > file) 2> /dev/null || echo 'members cannot write into their folder'
[ "$(cat link 2> /dev/null)" = inside ] || echo 'symlinks in the folder do not work'
ls "$2" > /dev/null 2>&1 && echo 'members can see the folders of others'
[ $$ -lt 10 ] || echo 'members can see processes of others'
echo checked
`
const limitMs = 10_000

/** Starts a program as a member who cannot exist, because ids have no dots. Resolves to the problems, as parts of a sentence. */
export async function probePeople(isolation: Probed, folder: string): Promise<string[]> {
  const workspace = path.join(folder, 'probe', 'own')
  const other = path.join(folder, 'probe', 'other')
  for (const made of [workspace, other]) {
    rmSync(made, { recursive: true, force: true })
    mkdirSync(made, { recursive: true })
  }
  chmodSync(path.dirname(workspace), 0o711)
  writeFileSync(path.join(workspace, 'target'), 'inside')
  symlinkSync('target', path.join(workspace, 'link'))
  try {
    await isolation.admit(workspace)
    const probed = isolation.of('.probe', workspace)
    const { printed, complaints } = await run(probed, workspace, other)
    const problems = printed.trim().split('\n')
    if (problems.pop() === 'checked') return problems
    return [`the sandbox does not start (${complaints.trim().split('\n').at(-1)?.slice(0, 200) ?? 'no output'})`]
  } catch (error) {
    return [(error as Error).message]
  }
}

async function run(
  { sandbox, user }: Isolation,
  workspace: string,
  other: string,
): Promise<{ printed: string; complaints: string }> {
  const facts = [String(user?.uid ?? process.getuid?.()), other]
  const confined = await sandbox.wrap({
    argv: [findBash(), '--noprofile', '--norc', '-c', script, 'bash', ...facts],
    cwd: workspace,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    confinement: 'workspace',
    roots: [workspace],
  })
  try {
    const { file, args, env, cwd } = confined
    const child = await startProcess('The check', () =>
      spawn(file, args, { env, cwd, timeout: limitMs, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    let printed = ''
    let complaints = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
    await new Promise((resolve) => child.once('close', resolve))
    return { printed, complaints }
  } finally {
    confined.release()
  }
}
