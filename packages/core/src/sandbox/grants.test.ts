import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Decision, Effect } from '../access/decision.ts'
import { decide } from '../permission/decide.ts'
import { createPolicy, type PolicyOptions } from '../permission/policy.ts'
import {
  canary,
  openSandboxWorkspace,
  type SandboxedResult,
  type SandboxWorkspace,
} from '../testing/sandbox-workspace.ts'
import { inSandbox } from '../testing/shell-modes.ts'
import { longestPause, pauseLimitMs } from '../testing/test-tool-context.ts'
import { checkTool } from '../tool/tool.ts'
import bash from '../tools/bash.ts'

type Rules = Partial<Record<Effect, readonly string[]>>

inSandbox('what was granted to a command', () => {
  let place: SandboxWorkspace
  let server: Server
  let privates: string

  beforeAll(async () => {
    place = await openSandboxWorkspace()
    privates = path.join(place.home, 'private')
    for (const name of ['note.txt', '.env', '.ssh/id_rsa', 'deep/id_rsa', 'node_modules/x/.env', 'deep/notes.md'])
      place.file(path.join(privates, name))
    place.file(path.join(place.workspace, '.aws/config'))
    place.file(path.join(place.workspace, '.aws/credentials'))
    place.file(path.join(place.workspace, 'found/.env'))
    place.file(
      path.join(place.workspace, 'test.sh'),
      `cd ~/private
for f in note.txt .env .ssh/id_rsa deep/id_rsa node_modules/x/.env deep/notes.md; do cat $f; done
echo evil >> note.txt; echo evil > new; mkdir -p .ssh && echo evil > .ssh/authorized_keys; echo evil >> ~/.bashrc
true`,
    )
    server = createServer((socket) => socket.end(canary)).listen(path.join(privates, 'daemon.sock'))
    await new Promise((resolve) => server.once('listening', resolve))
  })
  afterAll(async () => {
    server.close()
    await place.close()
  })

  const tool = checkTool(bash, 'bash')
  const judge = async (command: string, rules: Rules = {}, given: PolicyOptions = {}): Promise<Decision> => {
    const input = bash.input.parse({ command })
    const policy = { sandbox: true, home: place.home, troupeHome: place.troupeHome, ...given }
    return decide({ tool, input }, place.ctx, createPolicy(rules, policy))
  }
  const approved = async (command: string, rules: Rules = {}, given: PolicyOptions = {}): Promise<SandboxedResult> => {
    const { confinement, grants } = await judge(command, rules, given)
    return place.run(command, confinement, {}, grants ?? [])
  }
  const isUntouched = (): void => {
    expect(readFileSync(path.join(privates, 'note.txt'), 'utf8')).toBe(canary)
    for (const name of ['private/new', 'private/.ssh/authorized_keys', '.bashrc'])
      expect(existsSync(path.join(place.home, name))).toBe(false)
  }

  test('to list a folder shows no file contents to other programs, and allows no writes', async () => {
    for (const list of ['ls -la ~/private', 'find ~/private', 'ls ~', 'ls -d ~/private']) {
      const command = `sh test.sh; ${list}`
      expect(await judge(command, { allow: ['Bash(sh test.sh)'] })).toMatchObject({ decision: 'ask' })
      const { text, exitCode } = await approved(command, { allow: ['Bash(sh test.sh)'] })
      expect([list, exitCode, text.includes('private') || text.includes('note.txt')]).toEqual([list, 0, true])
      expect(text).not.toContain('canary')
      isUntouched()
    }
    const sizes = (await approved('sh test.sh; stat -c "%n %s %Y" ~/private/note.txt')).text
    const { size, mtimeMs } = statSync(path.join(privates, 'note.txt'))
    expect(sizes).toContain(`note.txt ${size} ${Math.floor(mtimeMs / 1000)}\n`)
  })

  test('is more without asking if it only reads: system files open to every user, and names in the home folder', async () => {
    const sh = { allow: ['Bash(sh test.sh)'] }
    for (const command of ['cat /etc/hosts', 'ls ~', 'ls -la ~ | head -5', 'ls /etc', 'stat /etc/hosts', 'ls /home'])
      expect([command, await judge(command, sh)]).toMatchObject([
        command,
        { decision: 'allow', confinement: 'read-only' },
      ])
    expect((await approved('cat /etc/hosts')).text).toBe(readFileSync('/etc/hosts', 'utf8'))
    expect((await approved('ls ~')).text).toContain('private')
    for (const command of [
      'cat /etc/passwd',
      'cat /etc/shadow',
      'cat /etc/ssl/private/x',
      'cat /etc/app/token',
      'grep -r x /etc',
      'find /etc',
      'ls ~/private',
      'find ~ -maxdepth 1',
      'cat ~/private/note.txt',
      'sh test.sh; cat /etc/hosts',
      'sh test.sh; ls ~',
      'cat /etc/hosts > x',
    ])
      expect([command, (await judge(command, sh)).decision]).toEqual([command, 'ask'])
  })

  test('to read a file allows nothing else', async () => {
    const { text } = await approved('sh test.sh; cat ~/private/note.txt')
    expect(text.match(/canary/g)).toHaveLength(2)
    isUntouched()
    expect((await approved('cat .aws/config; cat .aws/credentials')).text.match(/canary/g)).toHaveLength(2)
    expect(
      (await approved('cat .aws/config; ls .aws | while read f; do cat .aws/$f; done')).text.match(/canary/g),
    ).toHaveLength(2)
  })

  test('does not include secrets that another command lists', async () => {
    for (const command of ['find found -type f | xargs cat', 'for f in $(find . -name .e*); do cat $f; done']) {
      expect(await judge(command)).toMatchObject({ decision: 'allow', confinement: 'read-only' })
      expect((await approved(command)).text).not.toContain('canary')
    }
  })

  test('to read a folder hides its secrets at any depth, and allows no writes', async () => {
    const beside = await approved('grep -r canary ~/private; sh test.sh')
    expect(beside.text).toContain('note.txt')
    expect(beside.text).toContain('notes.md')
    expect(beside.text.match(/canary/g)).toHaveLength(4)
    isUntouched()
    const alone = await approved('grep -rhs canary ~/private')
    expect(alone.text.trim().split('\n')).toEqual([canary, canary])
  })

  test('to write a file does not open the folder around it', async () => {
    const { grants } = await judge('echo more >> ~/private/deep/notes.md')
    expect(grants).toEqual([{ how: 'write', path: path.join(realpathSync(privates), 'deep/notes.md') }])
    await approved('echo more >> ~/private/deep/notes.md; sh test.sh')
    expect(readFileSync(path.join(privates, 'deep/notes.md'), 'utf8')).toBe(`${canary}more\n`)
    place.file(path.join(privates, 'deep/notes.md'))
    isUntouched()
  })

  test('a socket is never reachable through it', async () => {
    const socket = path.join(privates, 'daemon.sock')
    const connect = `'${process.execPath}' -e "require('net').connect('${socket}').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"`
    for (const beside of [`ls -la ${socket}`, 'ls ~/private', 'grep -r canary ~/private', `cat ${socket}`, 'ls ~']) {
      const { text } = await approved(`${connect}; ${beside} > /dev/null`)
      expect([beside, text.match(/E[A-Z]+/)?.[0] !== undefined, text.includes(`${canary}\n`)]).toEqual([
        beside,
        true,
        false,
      ])
    }
  })

  test('allows approved access: the root, the system, processes', async () => {
    for (const command of [
      'ls /',
      'ls -la /',
      'df -h /',
      'stat /',
      'find / -maxdepth 1',
      'ls /etc',
      'ls -la /etc',
      'ls -d /root /var',
      'ls /var',
      'ls -la /bin/',
      'cat /proc/self/status',
      'cat /proc/meminfo',
      'ls /proc/self/fd',
      'ls /dev',
      'ls /run',
      'ls / /etc /var ~',
      'cat /etc/hostname; ls /',
    ]) {
      const ran = await approved(command)
      expect([command, ran.exitCode, ran.text]).toEqual([command, 0, expect.stringMatching(/\S/)])
      if (command.startsWith('find')) continue
      const beside = await approved(`${command}; sh test.sh`)
      expect([command, beside.exitCode]).toEqual([command, 0])
      expect(beside.text).not.toContain('canary')
      isUntouched()
    }
    await expect(approved('find / -maxdepth 1; sh test.sh')).rejects.toThrow('List it with a separate command')
    expect((await approved('ls -A /; cat ~/private/note.txt', {}, { mode: 'accept-edits' })).text).toContain(canary)
  })

  test('the listing of a large folder does not block the event loop', async () => {
    const large = path.join(place.home, 'large')
    for (let i = 0; i < 950; i++) place.file(path.join(large, `file-${i}.txt`))
    const { confinement, grants } = await judge('ls ~/large; sh test.sh')
    expect(grants).toContainEqual(expect.objectContaining({ how: 'list', path: large }))
    const { result, pauseMs } = await longestPause(() =>
      place.run('ls ~/large | wc -l; cat ~/large/file-7.txt', confinement, {}, grants ?? []),
    )
    expect(result.text).toMatch(/^950\n/)
    expect(result.text).not.toContain(canary)
    expect(pauseMs).toBeLessThan(pauseLimitMs)
  })
})
